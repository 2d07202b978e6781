import { connect } from "node:net";

import { Agent, request } from "undici";

import { SOME_JOB, type FuzzedBytes, type FuzzedRequest, type FuzzedStep } from "./requests.ts";
import type { FuzzedServer } from "./fuzzed-server.ts";

/** No answer is held back for this long, so a request that takes longer hangs. */
const HANG_MS = 20_000;
/** How many accepted jobs are remembered; older ones are forgotten here. */
const JOBS_MAX = 500;

/** What the steps share: the ids of jobs, those that must be there at the end, and how many steps there were. */
export interface FuzzState {
  readonly jobs: string[];
  readonly kept: string[];
  requests: number;
  /** How many submissions were accepted: each is a job that is kept in memory for minutes at least. */
  accepted: number;
  bytes: number;
  readonly statuses: Map<number, number>;
}

const agent = new Agent({ connections: 64 });

/** @throws Error that says what the server did wrong */
export async function takeStep(
  step: FuzzedStep,
  served: FuzzedServer,
  state: FuzzState,
): Promise<void> {
  if (step.kind === "bytes") await sendBytes(step, served, state);
  else await sendRequest(step, served, state);
  if (!served.isRunning()) throw new Error(`the server has ended: ${served.errors()}`);
}

async function sendRequest(
  { method, path, headers, body, isKept }: FuzzedRequest,
  { baseUrl }: FuzzedServer,
  state: FuzzState,
): Promise<void> {
  state.requests += 1;
  const job = state.jobs[state.requests % Math.max(state.jobs.length, 1)] ?? "none";
  const url = `${baseUrl}${path.replace(SOME_JOB, job)}`;
  const answer = await request(url, {
    method,
    headers,
    body: body?.replaceAll("SELF", baseUrl) ?? null,
    dispatcher: agent,
    signal: AbortSignal.timeout(HANG_MS),
  });
  const text = await answer.body.text();
  const { statusCode } = answer;
  state.statuses.set(statusCode, (state.statuses.get(statusCode) ?? 0) + 1);
  if (statusCode >= 500) throw new Error(`answered ${statusCode}: ${text.slice(0, 500)}`);
  if (statusCode === 200) noteAccepted(text, { path, isKept }, state);
}

function noteAccepted(
  text: string,
  { path, isKept }: Pick<FuzzedRequest, "path" | "isKept">,
  state: FuzzState,
): void {
  if (/\/run(?:sync)?(?:\?|$)/.test(path)) state.accepted += 1;
  const accepted = /"id":"([\w-]+-u1)"/.exec(text)?.[1];
  if (accepted === undefined) return;
  if (isKept) state.kept.push(accepted);
  else if (state.jobs.push(accepted) > JOBS_MAX) state.jobs.shift();
}

/** Sends bytes and then the end of the stream; the server has to close the connection, whatever it answered. */
async function sendBytes(
  { pieces }: FuzzedBytes,
  { port }: FuzzedServer,
  state: FuzzState,
): Promise<void> {
  state.bytes += 1;
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("latin1").on("data", (part: string) => (text += part));
  const closed = new Promise<"closed">((resolve) => {
    socket.on("error", () => {}).once("close", () => resolve("closed"));
  });
  for (const piece of pieces) socket.write(piece, "latin1");
  socket.end();
  const late = setTimeout(() => socket.destroy(new Error("late")), HANG_MS);
  const before = Date.now();
  await closed;
  clearTimeout(late);
  if (Date.now() - before >= HANG_MS) throw new Error("the connection was not closed");
  const failed = /^HTTP\/1\.1 5\d\d .*/m.exec(text);
  if (failed !== null) throw new Error(`answered ${text.slice(0, 500)}`);
}

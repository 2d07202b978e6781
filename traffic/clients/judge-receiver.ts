import { randomUUID } from "node:crypto";
import { request } from "undici";
import type { ClientJudgement } from "./judge-client.ts";
import { Redactor } from "../../client/redactor.ts";
import { monotonicNowMs } from "../../client/exchange.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { CheckResult } from "../../reports/model.ts";
import { breach, holds, resultOfDecision } from "../decision.ts";
import { plainHeaders } from "../recording/relay-headers.ts";
import type { RecordedExchange } from "../recording/recorded-exchange.ts";

export interface ReceiverJudgement extends Pick<ClientJudgement, "only" | "signal" | "onResults"> {
  readonly url: string;
  /** Jobs that the receiver's application knows. */
  readonly jobs: readonly string[];
}

/** One way to be called, and the entries that it shows. */
interface CallPlan {
  readonly name: string;
  readonly about: string;
  readonly record: Readonly<Record<string, unknown>>;
  /** How many calls are sent at once. */
  readonly together?: number;
  /** How often each is sent, one after the other. */
  readonly times?: number;
  readonly shows: readonly RequirementId[];
}

const answeredWithinMs = 5_000;
/** What is late is still awaited, so that a report says how late it was. */
const awaitedMs = 30_000;

/** The calls for jobs that an application knows, and for one that it does not. */
export function receiverCalls(...jobs: readonly string[]): readonly CallPlan[] {
  return [...jobs.flatMap(callsFor), ...callsForStrangers];
}

/** Calls a receiver as the service would, and judges its answers. For a job that it does not know only CLNT-73 counts. */
export async function judgeReceiver(judgement: ReceiverJudgement): Promise<readonly CheckResult[]> {
  const plans = receiverCalls(...judgement.jobs);
  const startedAtMs = monotonicNowMs();
  const all: CheckResult[] = [];
  for (const [index, plan] of plans.entries()) {
    if (judgement.signal.aborted) break;
    const shown = plan.shows.filter((id) => judgement.only.has(id));
    const calls = shown.length === 0 ? [] : await call(plan, judgement);
    if (judgement.signal.aborted) break;
    const results = shown.map((id) => resultOf(id, plan, calls, startedAtMs));
    all.push(...results);
    judgement.onResults(results, index + 1, plans.length);
  }
  return all;
}

const times = { delayTime: 12, executionTime: 340 };
const largeText = "0123456789abcdef".repeat(500_000);

function callsFor(id: string): readonly CallPlan[] {
  const done = { id, status: "COMPLETED", output: { words: ["three"] }, ...times };
  return [
    {
      name: "completed",
      about: "The job is COMPLETED; the call comes a second time.",
      record: done,
      times: 2,
      shows: ["CLNT-70", "CLNT-71", "CLNT-72"],
    },
    {
      name: "failed",
      about: "The job is FAILED.",
      record: { id, status: "FAILED", error: "out of memory", ...times },
      shows: ["CLNT-70", "CLNT-71"],
    },
    {
      name: "large",
      about: "The call holds an output of 8 MB.",
      record: { ...done, output: { text: largeText } },
      shows: ["CLNT-70", "CLNT-71"],
    },
    {
      name: "many",
      about: "Twenty calls come at once.",
      record: done,
      together: 20,
      shows: ["CLNT-71"],
    },
    {
      name: "unknown-members",
      about: "The call has members that no specification knows.",
      record: { ...done, webhook: "https://example.org/", retries: 1, worker: { region: "north" } },
      shows: ["CLNT-73"],
    },
  ];
}

const callsForStrangers: readonly CallPlan[] = [
  {
    name: "unknown-job",
    about: "The call is for a job that the application never submitted.",
    record: { id: randomUUID(), status: "COMPLETED", output: {}, ...times },
    shows: ["CLNT-73"],
  },
];

async function call(
  { record, together = 1, times: again = 1 }: CallPlan,
  { url, signal }: ReceiverJudgement,
): Promise<readonly RecordedExchange[]> {
  const calls: RecordedExchange[] = [];
  for (let time = 0; time < again; time += 1) {
    const sent = Array.from({ length: together }, async (_, index) =>
      callOnce(url, JSON.stringify(record), { number: calls.length + index + 1, signal }),
    );
    calls.push(...(await Promise.all(sent)));
  }
  return calls;
}

async function callOnce(
  url: string,
  body: string,
  { number, signal }: { readonly number: number; readonly signal: AbortSignal },
): Promise<RecordedExchange> {
  const { origin, pathname, search } = new URL(url);
  const arrivedMs = monotonicNowMs();
  const headers = { "content-type": "application/json" };
  const sent = {
    number,
    connection: number,
    method: "POST",
    origin,
    target: `${pathname}${search}`,
    headers,
    body: { bytes: Buffer.from(body), kind: "whole" },
    arrivedMs,
  } as const;
  try {
    const answer = await request(url, {
      method: "POST",
      headers,
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(awaitedMs)]),
    });
    const beganMs = monotonicNowMs();
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    return {
      ...sent,
      answer: {
        status: answer.statusCode,
        headers: plainHeaders(answer.headers),
        body: { bytes: bytes.subarray(0, 65_536), kind: "whole" },
        beganMs,
        endedMs: monotonicNowMs(),
      },
    };
  } catch (error) {
    if (signal.aborted || !isUnreachable(error)) {
      return { ...sent, brokenOff: { by: "server", atMs: monotonicNowMs() } };
    }
    throw new ReceiverUnreachableError(`nobody takes webhooks at ${origin}`, { cause: error });
  }
}

/** There is nobody to judge. */
export class ReceiverUnreachableError extends Error {
  override readonly name = "ReceiverUnreachableError";
  readonly code = "TARGET_UNREACHABLE";
  readonly hint = "Start the receiver, and give --receiver the URL that it listens on.";
}

function isUnreachable(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ECONNREFUSED" || code === "ENOTFOUND" || code === "EAI_AGAIN";
}

function resultOf(
  id: RequirementId,
  { name, about }: CallPlan,
  calls: readonly RecordedExchange[],
  startedAtMs: number,
): CheckResult {
  const last = calls.at(-1)?.answer?.endedMs ?? 0;
  const durationMs = Math.max(0, last - (calls[0]?.arrivedMs ?? 0));
  const run = { name: `receiver/${name}`, title: about, startedAtMs, durationMs };
  for (const [index, each] of calls.entries()) {
    const difference = breachOf(id, each, index);
    if (difference === undefined) continue;
    const decision = breach(`call ${each.number}`, ...difference, each);
    return resultOfDecision(id, decision, { ...run, exchanges: [each] }, new Redactor());
  }
  return resultOfDecision(id, holds, { ...run, exchanges: [] }, new Redactor());
}

type Difference = readonly [expected: string, got: string] | undefined;

function breachOf(id: RequirementId, made: RecordedExchange, index: number): Difference {
  const { answer } = made;
  const got = answer === undefined ? "no answer" : `${answer.status}`;
  if (id === "CLNT-71") return lateness(made, got);
  if (id === "CLNT-73") {
    return answer === undefined || answer.status >= 500 ? ["no 5xx", got] : undefined;
  }
  // What is asked of the second call, the first does not show.
  if ((id === "CLNT-72") === (index === 0)) return undefined;
  return answer?.status === 200 ? undefined : ["200", got];
}

function lateness({ answer, brokenOff, arrivedMs }: RecordedExchange, got: string): Difference {
  const tookMs = (answer?.beganMs ?? brokenOff?.atMs ?? arrivedMs) - arrivedMs;
  if (answer !== undefined && tookMs <= answeredWithinMs) return undefined;
  return ["an answer within 5 s", `${got} after ${(tookMs / 1000).toFixed(1)} s`];
}

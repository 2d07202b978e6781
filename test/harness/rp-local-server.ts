import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

import { isJsonObject, parseJson } from "../../client/parse-json.ts";
import type { JsonMembers } from "../../client/parse-json.ts";
import { running } from "../running-server.ts";
import type { RunningServer } from "../running-server.ts";

/** The result of a handler, as that server shows it. */
type Outcome = { readonly output: unknown } | { readonly error: string };

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/**
 * A server that answers as the local one of the vendor's worker library does: no key, no queue, a job is run by the
 * call that reads it, its result can be read once, and what is refused is refused with 422.
 */
export async function startRpLocalServer(): Promise<RunningServer> {
  const waiting = new Map<string, Submission>();
  return running(
    createServer((request, response) => {
      void answer(request, response, waiting);
    }),
  );
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  waiting: Map<string, Submission>,
): Promise<void> {
  const { status, body } = await serve(request, waiting);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

interface Submission {
  readonly input: JsonMembers;
  readonly webhook: string | undefined;
}

async function serve(request: IncomingMessage, waiting: Map<string, Submission>): Promise<Reply> {
  const body = await text(request);
  const [, operation = "", id = ""] = new URL(request.url ?? "/", "http://local").pathname.split(
    "/",
  );
  if (!operations.has(operation)) return { status: 404, body: { detail: "Not Found" } };
  if (request.method !== "POST") return { status: 405, body: { detail: "Method Not Allowed" } };
  if (operation === "status" || operation === "stream") return read(operation, id, waiting);

  const submission = submissionIn(body);
  if (submission === undefined) return refusal;
  const given = `test-${randomUUID()}`;
  if (operation === "run") {
    waiting.set(given, submission);
    return { status: 200, body: { id: given, status: "IN_PROGRESS" } };
  }
  return { status: 200, body: await finish(given, submission) };
}

const operations: ReadonlySet<string> = new Set(["run", "runsync", "status", "stream"]);
const refusal: Reply = {
  status: 422,
  body: { detail: [{ type: "missing", loc: ["body", "input"], msg: "Field required", input: {} }] },
};

/** Runs the job and forgets it. */
async function read(
  operation: string,
  id: string,
  waiting: Map<string, Submission>,
): Promise<Reply> {
  const submission = waiting.get(id);
  if (submission === undefined) {
    return { status: 200, body: { id, status: "FAILED", error: "Job ID not found" } };
  }
  waiting.delete(id);
  const record = await finish(id, submission);
  if (operation === "status") return { status: 200, body: record };
  const { output } = record;
  if (!Array.isArray(output)) {
    const error = "Stream not supported, handler must be a generator.";
    return { status: 200, body: { id, status: "FAILED", error } };
  }
  const stream = output.map((chunk: unknown) => ({ output: chunk }));
  return { status: 200, body: { id, status: "COMPLETED", stream } };
}

async function finish(id: string, { input, webhook }: Submission): Promise<JsonMembers> {
  const outcome = await handle(input, id);
  if ("error" in outcome) return { id, status: "FAILED", error: outcome.error };
  if (webhook !== undefined) await call(webhook, outcome.output);
  return { id, status: "COMPLETED", output: outcome.output };
}

/** The operations of the conformance handler that the checks of such a server use. */
async function handle(input: JsonMembers, jobId: string): Promise<Outcome> {
  const { op, value = null, ms, message, count } = input;
  switch (op) {
    case "echo":
      return { output: { value } };
    case "sleep":
      await pause(Number(ms));
      return { output: { value } };
    case "stream":
      return { output: Array.from({ length: Number(count) }, (_, index) => ({ index })) };
    case "whoami":
      return { output: { jobId, attempt: 1, s3: null } };
    default:
      return { error: JSON.stringify({ error_type: "ValueError", error_message: message ?? op }) };
  }
}

/** Calls the webhook once, with the output alone, whatever it answers. */
async function call(webhook: string, output: unknown): Promise<void> {
  const body = JSON.stringify({ output });
  const headers = { "content-type": "application/json" };
  await fetch(webhook, { method: "POST", headers, body }).catch(() => undefined);
}

function submissionIn(json: string): Submission | undefined {
  const body = parseJson(json);
  if (!isJsonObject(body) || !isJsonObject(body["input"])) return undefined;
  const { input, webhook } = body;
  if (webhook !== undefined && webhook !== null && typeof webhook !== "string") return undefined;
  return { input, webhook: webhook ?? undefined };
}

import { isJsonObject, parseJson } from "../../client/parse-json.ts";
import type { JsonMembers } from "../../client/parse-json.ts";
import type { JobInput, Jobs, KnownOutput } from "./jobs.ts";

/** Inputs of the conformance handler (docs/test-my-server.md#the-conformance-handler). */
export const inputs = {
  echo: (value: unknown): JobInput => ({ op: "echo", value }),
  sleep: (ms: number, value: unknown = null): JobInput => ({ op: "sleep", ms, value }),
  fail: (message: string): JobInput => ({ op: "fail", message }),
  flaky: (failures: number, value: unknown): JobInput => ({ op: "flaky", failures, value }),
  crash: (): JobInput => ({ op: "crash" }),
  stream: (count: number, intervalMs: number): JobInput => ({ op: "stream", count, intervalMs }),
  text: (bytes: number, chunks: number, intervalMs: number): JobInput => ({
    op: "text",
    bytes,
    chunks,
    intervalMs,
  }),
  whoami: (): JobInput => ({ op: "whoami" }),
} as const;

/** For how many milliseconds the handler works on an input; 0 where that takes no time, or is not known. */
export function workMsOf(input: unknown): number {
  if (!isJsonObject(input)) return 0;
  const { op, ms, count, chunks, intervalMs } = input;
  if (op === "sleep" && typeof ms === "number") return ms;
  const times = op === "stream" ? count : chunks;
  return typeof times === "number" && typeof intervalMs === "number" ? times * intervalMs : 0;
}

/** No input with a length of its own is larger. */
const submissionBytesMax = 4096;

/** For how many milliseconds the handler works on the job of a submission as it is sent; 0 where that is not known. */
export function workMsOfSubmission(body: string | Buffer | undefined): number {
  return workMsOf(submissionIn(body)?.["input"]);
}

/** The output that the handler gives the echo of a submission as it is sent; undefined of any other. */
export function echoOf(body: string | Buffer | undefined): JsonMembers | undefined {
  const input = submissionIn(body)?.["input"];
  const isEcho = isJsonObject(input) && input["op"] === "echo" && input["value"] !== undefined;
  return isEcho ? { value: input["value"] } : undefined;
}

/** Whether the handler yields chunks for the job of a submission as it is sent. */
export function yieldsChunks(body: string | Buffer | undefined): boolean {
  const input = submissionIn(body)?.["input"];
  if (!isJsonObject(input)) return false;
  const { op, count, chunks } = input;
  return (op === "stream" && Number(count) > 0) || (op === "text" && Number(chunks) > 0);
}

/** The executionTimeout of a submission as it is sent, in milliseconds; undefined where it has none that counts. */
export function executionTimeoutOf(body: string | Buffer | undefined): number | undefined {
  const policy = submissionIn(body)?.["policy"];
  const timeoutMs = isJsonObject(policy) ? policy["executionTimeout"] : undefined;
  return typeof timeoutMs === "number" && timeoutMs >= shortestTimeoutMs ? timeoutMs : undefined;
}

/** The ttl of a submission as it is sent, in milliseconds; undefined where it has none that counts. */
export function ttlOf(body: string | Buffer | undefined): number | undefined {
  const policy = submissionIn(body)?.["policy"];
  const ttlMs = isJsonObject(policy) ? policy["ttl"] : undefined;
  return typeof ttlMs === "number" && ttlMs >= shortestTtlMs ? ttlMs : undefined;
}

/** Whether a submission as it is sent asks for low priority. */
export function isLowPriority(body: string | Buffer | undefined): boolean {
  const policy = submissionIn(body)?.["policy"];
  return isJsonObject(policy) && policy["lowPriority"] === true;
}

/** The shortest executionTimeout there is, in milliseconds (POLI-01). */
export const shortestTimeoutMs = 5000;

/** The shortest ttl of a policy, in milliseconds (POLI-02). */
const shortestTtlMs = 10_000;

function submissionIn(body: string | Buffer | undefined): JsonMembers | undefined {
  if (body === undefined || body.length > submissionBytesMax) return undefined;
  const sent = parseJson(body.toString());
  return isJsonObject(sent) ? sent : undefined;
}

/** Jobs of the conformance handler, which do exactly what they are asked to do. */
export const conformanceJobs: Jobs = {
  exact: true,
  graceMs: 0,
  endAfterRetry: "COMPLETED",
  quick: (value = "done") => inputs.echo(value),
  short: inputs.sleep,
  quickMs: 0,
  slow: inputs.sleep,
  failing: inputs.fail,
  failingFirst: inputs.flaky,
  slowYielding: inputs.stream,
  streaming: inputs.stream,
  eachOf: (rows) => rows,
  chunksAtLeast: (count) => count,
  outputOf,
  lengthOf: (ms) => ({ atLeastMs: ms, atMostMs: ms }),
  usualMs: (ms) => ms,
};

function outputOf({ op, value, failures, count }: JobInput): KnownOutput | undefined {
  if (op === "echo" || op === "sleep") return { output: { value } };
  if (op === "flaky") return { output: { value, attempt: Number(failures) + 1 } };
  if (op !== "stream") return undefined;
  return { output: Array.from({ length: Number(count) }, (_, index) => ({ index })) };
}

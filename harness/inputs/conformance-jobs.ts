import type { JobInput, Jobs, KnownOutput } from "./jobs.ts";

interface Inputs {
  readonly echo: (value: unknown) => JobInput;
  readonly sleep: (ms: number, value?: unknown) => JobInput;
  readonly fail: (message: string) => JobInput;
  readonly flaky: (failures: number, value: unknown) => JobInput;
  readonly crash: () => JobInput;
  readonly stream: (count: number, intervalMs: number) => JobInput;
  readonly text: (bytes: number, chunks: number, intervalMs: number) => JobInput;
  readonly whoami: () => JobInput;
}

/** Inputs of the conformance handler (docs/test-my-server.md#the-conformance-handler). */
export const inputs: Inputs = {
  echo: (value) => ({ op: "echo", value }),
  sleep: (ms, value = null) => ({ op: "sleep", ms, value }),
  fail: (message) => ({ op: "fail", message }),
  flaky: (failures, value) => ({ op: "flaky", failures, value }),
  crash: () => ({ op: "crash" }),
  stream: (count, intervalMs) => ({ op: "stream", count, intervalMs }),
  text: (bytes, chunks, intervalMs) => ({ op: "text", bytes, chunks, intervalMs }),
  whoami: () => ({ op: "whoami" }),
};

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

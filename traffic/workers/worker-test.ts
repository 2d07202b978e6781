import type { JobTest } from "../../harness/inputs/tests-file.ts";
import type { RecordedExchange } from "../recording/recorded-exchange.ts";
import type { WorkerCall } from "./worker-call.ts";
import type { WorkerProcess } from "./worker-processes.ts";

/** What a job is run for. */
export type Purpose =
  | "first"
  | "again"
  | "bad-input"
  | "after-bad-input"
  | "beside"
  | "memory"
  | "timed-out"
  | "cancelled"
  | "stopped";

/** What became of a job at the worker's hands. */
export type JobEnd =
  /** Its result reached the service. */
  | { readonly kind: "told"; readonly call: WorkerCall }
  /** The service refused its result. */
  | { readonly kind: "refused"; readonly call: WorkerCall }
  /** The worker asked for another job and had told nothing of this one. */
  | { readonly kind: "untold" }
  /** The process that had it ended. */
  | { readonly kind: "died"; readonly process: WorkerProcess }
  /** Its time was over. */
  | { readonly kind: "late" }
  /** No worker took it. */
  | { readonly kind: "untaken" };

/** A job that the worker was given, and what came of it. Times are in milliseconds of the monotonic clock. */
export interface JobRun {
  /** As `words`, `words, run 2`, `words without prompt`. */
  readonly name: string;
  readonly test: JobTest;
  readonly purpose: Purpose;
  readonly input: JobTest["input"];
  readonly jobId: string;
  readonly submittedMs: number;
  readonly takenMs: number | undefined;
  readonly endedMs: number;
  readonly end: JobEnd;
  /** The record after the end, as the service tells it. */
  readonly record: Readonly<Record<string, unknown>>;
  /** Everything that passed from the submission until the end. */
  readonly exchanges: readonly RecordedExchange[];
  /** What the worker asked and told of it, until the end of its run. */
  readonly calls: readonly WorkerCall[];
  readonly resultBytes: number;
  /** The most memory that the worker's processes held while it worked, and what they held afterwards. */
  readonly peakMemoryBytes: number | undefined;
  readonly memoryBytes: number | undefined;
  /** When a worker asked for a job again after the end; undefined where none did in time. */
  readonly backMs: number | undefined;
  /** What was printed meanwhile. */
  readonly printed: readonly string[];
}

/** How long the worker worked on it; undefined where none took it. */
export function workedMs({ takenMs, endedMs }: JobRun): number | undefined {
  return takenMs === undefined ? undefined : endedMs - takenMs;
}

/** The place that is told of a job: the job of "words". */
export function atJob({ name }: Pick<JobRun, "name">): string {
  return `the job of ${JSON.stringify(name)}`;
}

/** Whether a job was not stopped from outside. */
export function isLeftAlone({ purpose }: JobRun): boolean {
  return purpose !== "timed-out" && purpose !== "cancelled";
}

/** The chunks that a job's worker sent, or tried to. */
export function chunksOf({ calls }: Pick<JobRun, "calls">): readonly WorkerCall[] {
  return calls.filter(({ kind }) => kind === "chunk");
}

/** Whether the worker told the service that a job failed. */
export function isFailed({ end, record }: JobRun): boolean {
  return end.kind === "told" && record["status"] === "FAILED";
}

/** Whether an output is none, or an empty list. */
export function isNothing(output: unknown): boolean {
  return output === undefined || output === null || (Array.isArray(output) && output.length === 0);
}

/** Whether a job ended as its test expects it. */
export function isAsExpected({ test, record, end }: JobRun): boolean {
  return end.kind === "told" && record["status"] === (test.expectsFailure ? "FAILED" : "COMPLETED");
}

import type { Job } from "../../../reference/job.ts";
import { isFinal } from "../../../reference/transitions.ts";

export function isRun({ submittedBy }: Job): boolean {
  return submittedBy === "run";
}

export function isRunsync({ submittedBy }: Job): boolean {
  return submittedBy === "runsync";
}

export function isRetried({ attempt }: Job): boolean {
  return attempt > 1;
}

export function hasEnded({ status }: Job): boolean {
  return isFinal(status);
}

export function isUnfinished({ status }: Job): boolean {
  return !isFinal(status);
}

/** Whether a worker has taken the job. */
export function hasStarted({ startedAtMs }: Job): boolean {
  return startedAtMs !== undefined;
}

export function isCancelledInTheQueue(job: Job): boolean {
  return job.status === "CANCELLED" && !hasStarted(job);
}

/** Whether a worker took the job only after it had waited in the queue. */
export function hasWaited({ queuedAtMs, startedAtMs }: Job): boolean {
  return startedAtMs !== undefined && startedAtMs > queuedAtMs;
}

export function isLowPriority({ submission }: Job): boolean {
  return submission.policy.lowPriority === true;
}

export function hasWebhook({ submission }: Job): boolean {
  return submission.webhook !== undefined;
}

/** Whether the handler has yielded a chunk. */
export function hasStreamed({ chunks }: Job): boolean {
  return chunks.length > 0;
}

export function hasExecutionTimeout({ submission }: Job): boolean {
  return submission.policy.executionTimeout !== undefined;
}

export function hasTtl({ submission }: Job): boolean {
  return submission.policy.ttl !== undefined;
}

/** Whether the job is of runsync and ended after the wait of its request was over. */
export function hasOutlastedItsWait(job: Job): boolean {
  return isRunsync(job) && (job.finishedAtMs ?? 0) - job.submittedAtMs > job.waitMs;
}

/** The time since the job ended, in milliseconds; 0 where it has not ended. */
export function endedMs({ finishedAtMs }: Job, nowMs: number): number {
  return finishedAtMs === undefined ? 0 : nowMs - finishedAtMs;
}

/** Whether the job was submitted with an s3Config. */
export function hasStorage({ submission }: Job): boolean {
  return submission.s3Config !== undefined;
}

export function hasList({ output }: Job): boolean {
  return Array.isArray(output);
}

export function hasEmptyList({ output }: Job): boolean {
  return Array.isArray(output) && output.length === 0;
}

/** Whether the job's output has more than a megabyte as JSON. */
export function hasLargeOutput({ output }: Job): boolean {
  return (JSON.stringify(output) ?? "").length > 1_000_000;
}

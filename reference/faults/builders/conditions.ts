import type { OperationName } from "../../../openapi/index.ts";
import type { Job } from "../../job.ts";
import { isFinal, type JobEvent, type JobStatus } from "../../transitions.ts";

/** What decides by a job whether a fault shows. */
export type JobCondition = (job: Job) => boolean;

export function always(): boolean {
  return true;
}

/** The job is in one of these states. */
export function is(...statuses: readonly JobStatus[]): JobCondition {
  return ({ status }) => statuses.includes(status);
}

export function both(one: JobCondition, other: JobCondition): JobCondition {
  return (job) => one(job) && other(job);
}

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

/** Whether a worker took the job, and none was free at once. */
export function hasWaited({ queuedAtMs, startedAtMs }: Job): boolean {
  return startedAtMs !== undefined && startedAtMs > queuedAtMs;
}

export function isLowPriority({ submission }: Job): boolean {
  return submission.policy.lowPriority === true;
}

export function hasExecutionTimeout({ submission }: Job): boolean {
  return submission.policy.executionTimeout !== undefined;
}

/** How long ago the job has ended; 0 of one that has not. */
export function endedMs({ finishedAtMs }: Job, nowMs: number): number {
  return finishedAtMs === undefined ? 0 : nowMs - finishedAtMs;
}

/** The request is one of this operation; the operation is the first thing that is told. */
export function on(wanted: OperationName): (operation: OperationName | undefined) => boolean {
  return (operation) => operation === wanted;
}

/** It is this event that happens to the job, and `condition` holds of it. */
export function at(
  wanted: JobEvent,
  condition: JobCondition = always,
): (job: Job, event: JobEvent) => boolean {
  return (job, event) => event === wanted && condition(job);
}

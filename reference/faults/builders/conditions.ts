import type { OperationName } from "../../../openapi/index.ts";
import type { Job } from "../../job.ts";
import type { TransitionEvent, JobStatus } from "../../transitions.ts";

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

/** The request is one of this operation; the operation is the first thing that is told. */
export function on(wanted: OperationName): (operation: OperationName | undefined) => boolean {
  return (operation) => operation === wanted;
}

/** It is this event that happens to the job, and `condition` holds of it. */
export function at(
  wanted: TransitionEvent,
  condition: JobCondition = always,
): (job: Job, event: TransitionEvent) => boolean {
  return (job, event) => event === wanted && condition(job);
}

import type { OperationName } from "../../../openapi/operations.ts";
import type { Job } from "../../../reference/job.ts";
import type { TransitionEvent } from "../../../reference/transitions.ts";
import type { JobStatus } from "../../../openapi/schemas.ts";

/** Decides by a job whether a fault shows. */
export type JobCondition = (job: Job) => boolean;

export function always(): boolean {
  return true;
}

/** Holds for jobs in one of these states. */
export function is(...statuses: readonly JobStatus[]): JobCondition {
  return ({ status }) => statuses.includes(status);
}

export function both(one: JobCondition, other: JobCondition): JobCondition {
  return (job) => one(job) && other(job);
}

export function not(condition: JobCondition): JobCondition {
  return (job) => !condition(job);
}

/** Holds for requests of this operation, in every member whose first argument is the operation. */
export function on(wanted: OperationName): (operation: OperationName | undefined) => boolean {
  return (operation) => operation === wanted;
}

/** Holds where this event happens to a job for which `condition` holds. */
export function at(
  wanted: TransitionEvent,
  condition: JobCondition = always,
): (job: Job, event: TransitionEvent) => boolean {
  return (job, event) => event === wanted && condition(job);
}

import type { JobStatus } from "../openapi/schemas.ts";

/** Where an event leads: to a state, or to the deletion of the job. */
export type Destination = JobStatus | "DELETED";

export type TransitionEvent =
  | "worker-took"
  | "handler-returned"
  | "handler-raised"
  | "worker-died"
  | "worker-died-again"
  | "execution-timed-out"
  | "ttl-ran-out"
  | "cancel"
  | "retry"
  | "purge"
  | "webhook-given-up"
  | "retention-ended";

/** How a row is known: the specification states it, or docs/decisions/0003-how-a-job-ends.md fills a gap. */
export type Basis = "stated" | "assumed";

export interface Transition {
  readonly from: readonly JobStatus[];
  readonly on: TransitionEvent;
  readonly to: Destination;
  readonly basis: Basis;
}

const finalStatuses: readonly JobStatus[] = ["COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED"];

/** The whole life of a job. No other file of the server assigns a status. */
export const transitions: readonly Transition[] = [
  { from: ["IN_QUEUE"], on: "worker-took", to: "IN_PROGRESS", basis: "stated" },
  { from: ["IN_PROGRESS"], on: "handler-returned", to: "COMPLETED", basis: "stated" },
  { from: ["IN_PROGRESS"], on: "handler-raised", to: "FAILED", basis: "assumed" },
  { from: ["IN_PROGRESS"], on: "worker-died", to: "IN_QUEUE", basis: "assumed" },
  { from: ["IN_PROGRESS"], on: "worker-died-again", to: "FAILED", basis: "assumed" },
  { from: ["IN_PROGRESS"], on: "execution-timed-out", to: "TIMED_OUT", basis: "assumed" },
  { from: ["IN_QUEUE", "IN_PROGRESS"], on: "ttl-ran-out", to: "DELETED", basis: "assumed" },
  { from: ["IN_QUEUE", "IN_PROGRESS"], on: "cancel", to: "CANCELLED", basis: "stated" },
  { from: ["FAILED", "TIMED_OUT"], on: "retry", to: "IN_QUEUE", basis: "stated" },
  { from: ["IN_QUEUE"], on: "purge", to: "DELETED", basis: "stated" },
  { from: finalStatuses, on: "retention-ended", to: "DELETED", basis: "stated" },
];

const table = new Map(
  transitions.flatMap(({ from, on, to }) => from.map((status) => [`${status} ${on}`, to] as const)),
);

/** `undefined` means that the event is refused in that state; the caller chooses the answer. */
export function next(status: JobStatus, event: TransitionEvent): Destination | undefined {
  return table.get(`${status} ${event}`);
}

export function isFinal(status: JobStatus): boolean {
  return status !== "IN_QUEUE" && status !== "IN_PROGRESS";
}

/** Puts a job where an event has led it. A deleted job keeps its last status: nobody can read it any more. */
export function enter(job: { status: JobStatus }, destination: Destination): void {
  if (destination !== "DELETED") job.status = destination;
}

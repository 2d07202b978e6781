import type { OperationName } from "../../openapi/operations.ts";
import type { Job } from "../job.ts";

/** How long a result is kept (docs/specification.md#limits). */
export interface RetentionBehaviour {
  readonly keptMs: (job: Job) => number;
  /** When retention begins to count; `nowMs` is the moment the job ended. */
  readonly startsAtMs: (job: Job, nowMs: number) => number;
  /** Whether this read starts retention anew. */
  readonly isProlongedBy: (operation: OperationName, job: Job) => boolean;
  /** Whether the job can be found by this operation at all. */
  readonly shows: (job: Job, operation: OperationName, nowMs: number) => boolean;
}

export const retention: RetentionBehaviour = {
  keptMs: (job) => (job.submittedBy === "run" ? 1_800_000 : 60_000),
  startsAtMs: (_job, nowMs) => nowMs,
  isProlongedBy: () => false,
  shows: () => true,
};

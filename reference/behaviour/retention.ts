import type { OperationName } from "../../openapi/operations.ts";
import type { Job } from "../job.ts";

/** How long a result is kept (docs/specification.md#limits). */
export const retention = {
  keptMs: (job: Job): number => (job.submittedBy === "run" ? 1_800_000 : 60_000),
  /** When retention begins to count; `nowMs` is the moment the job ended. */
  startsAtMs: (_job: Job, nowMs: number): number => nowMs,
  /** Whether this read starts retention anew. */
  isProlongedBy: (_operation: OperationName, _job: Job): boolean => false,
  /** Whether the job can be found by this operation at all. */
  shows: (_job: Job, _operation: OperationName, _nowMs: number): boolean => true,
};

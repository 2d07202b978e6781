import type { Behaviour } from "./behaviour.ts";
import type { AnswerContext } from "./behaviour/operations.ts";
import type { Job, JsonObject } from "./job.ts";

/**
 * The job record of status, runsync and the webhook (docs/specification.md#job-record). Times are in
 * milliseconds; `error` explains a FAILED or TIMED_OUT job.
 */
export function recordOf(job: Job, context: AnswerContext, { operations }: Behaviour): JsonObject {
  const delayTime = operations.delayMs(job, context.nowMs);
  const executionTime = operations.executionMs(job, context.nowMs);
  return {
    ...operations.record(job, context),
    ...(delayTime !== undefined && { delayTime }),
    ...(executionTime !== undefined && { executionTime }),
    ...(operations.showsOutput(job, context) && { output: job.output }),
    ...(job.error !== undefined && { error: job.error }),
  };
}

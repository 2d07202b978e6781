import type { OperationName } from "../../../openapi/operations.ts";
import type { AnswerContext, JobCounts } from "../../../reference/behaviour/operations.ts";
import { isJsonObject } from "../../../reference/behaviour/submission.ts";
import type { Job, JsonObject } from "../../../reference/job.ts";
import { remembering, type Changes } from "./compose.ts";
import type { JobCondition } from "./conditions.ts";
import { result, whenever, withArguments, type Change } from "./member.ts";

/** Changes the body of the successful answers of an operation, of whatever type it is. */
export function wholeAnswer(
  operation: OperationName,
  change: (body: unknown, job: Job | undefined) => unknown,
): Change {
  return result("operations.shape", (body, _specified, context) =>
    context.operation === operation ? change(body, context.job) : body,
  );
}

/** Changes the body of the successful answers of an operation where it is an object. */
export function inAnswer(
  operation: OperationName,
  change: (body: JsonObject, job: Job | undefined) => unknown,
): Change {
  return wholeAnswer(operation, (body, job) => (isJsonObject(body) ? change(body, job) : body));
}

/** Changes the object that an operation answers about a job for which `condition` holds, or adds fields to it. */
export function inAnswerAbout(
  operation: OperationName,
  condition: JobCondition,
  change: JsonObject | ((body: JsonObject, job: Job) => unknown),
): Change {
  return inAnswer(operation, (body, job) => {
    if (job === undefined || !condition(job)) return body;
    return typeof change === "function" ? change(body, job) : { ...body, ...change };
  });
}

/** Adds or replaces fields of the body of a webhook's calls where `condition` holds of the job and the attempt. */
export function inCall(
  fields: JsonObject,
  condition: (job: Job, attempt: number) => boolean,
): Change {
  return result("webhook.body", (body, _record, job, attempt) =>
    condition(job, attempt) && isJsonObject(body) ? { ...body, ...fields } : body,
  );
}

/** Adds or replaces fields of job records where `condition` holds. */
export function inRecord(
  fields: JsonObject | ((job: Job) => JsonObject),
  condition: (job: Job, context: AnswerContext) => boolean,
): Change {
  return result("operations.record", (record, job, context) =>
    condition(job, context)
      ? { ...record, ...(typeof fields === "function" ? fields(job) : fields) }
      : record,
  );
}

/** Changes one of the times of a job, where it has one. */
export function inTime(
  member: "operations.delayMs" | "operations.executionMs",
  change: (ms: number, job: Job) => number | undefined,
): Change {
  const changed = (ms: number | undefined, job: Job): number | undefined =>
    ms === undefined ? undefined : change(ms, job);
  return member === "operations.delayMs" ? result(member, changed) : result(member, changed);
}

/** Runs `effect` on a job for which `condition` holds, after status or stream has answered it. */
export function afterRead(
  condition: (job: Job, context: AnswerContext) => boolean,
  effect: (job: Job) => void,
): Change {
  return whenever("operations.afterRead", (context) => {
    const { job } = context;
    if (job !== undefined && condition(job, context)) effect(job);
  });
}

/** Changes one of the counts that health answers by `by`, for good, each time `watch` calls `count`; 0 is the least. */
export function miscounting(
  name: keyof JobCounts,
  by: 1 | -1,
  watch: (count: () => void) => Changes,
): Change {
  return remembering({ wrongBy: 0 }, (memory) => [
    watch(() => void (memory.wrongBy += by)),
    counting((counts) => ({ [name]: Math.max(0, counts[name] + memory.wrongBy) })),
  ]);
}

/** Changes some of the counts that health answers. */
export function counting(change: (counts: JobCounts) => Partial<JobCounts>): Change {
  return withArguments("operations.healthAnswer", (counts) => [{ ...counts, ...change(counts) }]);
}

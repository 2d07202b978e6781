import type { Exchange } from "../../client/exchange.ts";
import { answerOf, describeAnswer } from "../../harness/read.ts";
import { requireRead } from "../../harness/jobs/fixtures.ts";
import { readRecord, stateOf } from "../../harness/record.ts";
import { show } from "../../harness/show.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { promptAnswerMsMax } from "../answer-in-time.ts";

/** Cancels the job. Waits for the answer no longer than `promptAnswerMsMax`. */
export async function cancelJob({ api }: CheckContext, { id }: SubmittedJob): Promise<Exchange> {
  return api.cancel(id, { timeoutMs: promptAnswerMsMax });
}

/**
 * Cancels the job to prepare a check.
 * @throws Inconclusive where it is refused
 */
export async function arrangeCancel(context: CheckContext, job: SubmittedJob): Promise<void> {
  requireRead(readRecord(await cancelJob(context, job)), "could not cancel a job: cancel answered");
}

/** Cancels the job and records a difference unless the answer is its id and CANCELLED. */
export async function expectCancelled(
  context: CheckContext,
  job: SubmittedJob,
  at: string,
): Promise<void> {
  const record = context.expect.record(await cancelJob(context, job), `cancel of ${at}`);
  context.expect.equal(record.id, job.id, `id in the cancel of ${at}`);
  context.expect.equal(record.status, "CANCELLED", `status in the cancel of ${at}`);
}

/** Records a difference where the job has been processed to an end after all. */
export async function expectNoResult(
  context: CheckContext,
  job: SubmittedJob,
  at: string,
): Promise<void> {
  await context.time.settle();
  const exchange = await context.api.status(job.id);
  const read = readRecord(exchange);
  const done = read.ok && (read.body.status === "COMPLETED" || Object.hasOwn(read.body, "output"));
  context.expect.that(!done, {
    at,
    expected: "no result",
    got: describeAnswer(answerOf(exchange)),
  });
}

/** Records a difference unless status shows CANCELLED, and no output. */
export async function expectShownAsCancelled(
  context: CheckContext,
  job: SubmittedJob,
  at: string,
): Promise<void> {
  await context.time.settle();
  const exchange = await context.api.status(job.id);
  context.expect.equal(stateOf(exchange), "CANCELLED", `status of ${at}`);
  const read = readRecord(exchange);
  const output = read.ok && Object.hasOwn(read.body, "output") ? show(read.body["output"]) : "none";
  context.expect.equal(output, "none", `output of ${at}`);
}

/**
 * Cancels a job that has ended. Any answer is allowed (CANC-06), except those that say nothing of the job.
 * @throws Inconclusive where it is answered with 401 or 429
 */
export async function cancelFinished(context: CheckContext, job: SubmittedJob): Promise<Exchange> {
  const exchange = await cancelJob(context, job);
  const answer = answerOf(exchange);
  if (answer.status !== 401 && answer.status !== 429) return exchange;
  throw new Inconclusive(`cancel of a finished job: ${describeAnswer(answer)}`);
}

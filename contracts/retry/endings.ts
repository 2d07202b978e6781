import type { Exchange } from "../../client/exchange.ts";
import {
  retryToEnd,
  requireState,
  readJob,
  submitJob,
  waitForEnd,
} from "../../harness/jobs/fixtures.ts";
import { runToEnd } from "../../harness/jobs/submit.ts";
import { expectOutput } from "../../harness/jobs/offered-jobs.ts";
import type { FinishedJob, SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { Submission } from "../../harness/jobs/submit.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { JobInput } from "../../harness/inputs/jobs.ts";
import { lastingFields, stateOf } from "../../harness/record.ts";
import { retentionMsMax } from "../../harness/jobs/retention.ts";
import { unfinishedOrCompleted } from "../../harness/jobs/job-state.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";

/**
 * Submits a job and waits until it has failed by its handler's error.
 * @throws Inconclusive where it does not end FAILED
 */
export async function runToFailureBy(
  context: CheckContext,
  input: unknown,
  submission: Submission = {},
): Promise<FinishedJob> {
  return requireState(await runToEnd(context, input, submission), "FAILED");
}

/** Retries a job and records a difference unless the answer has its id and IN_QUEUE. */
export async function expectRetried(
  context: CheckContext,
  job: SubmittedJob,
  at: string,
): Promise<void> {
  expectRetriedBy(await context.api.retry(job.id), context, job, at);
}

/** Records a difference unless the answer to a retry is the job's id and IN_QUEUE. */
export function expectRetriedBy(
  exchange: Exchange,
  { expect }: CheckContext,
  job: SubmittedJob,
  at: string,
): void {
  const { id, status } = expect.record(exchange, at);
  expect.equal(id, job.id, `${at}, id`);
  expect.equal(status, "IN_QUEUE", `${at}, status`);
}

/** Records a difference unless a retried job has ended as its next attempt ends, with its output where it has one. */
export function expectRanAgain(
  context: CheckContext,
  exchange: Exchange,
  { input, at }: { readonly input: JobInput; readonly at: string },
): void {
  const { expect, jobs } = context;
  const { status, output } = expect.record(exchange, at);
  if (!jobs.exact) expect.equal(status, jobs.endAfterRetry, `${at}, status`);
  else expectOutput(context, output, { input, at: `${at}, output` });
}

/** Retries a job that failed or timed out, and waits for its next end. */
export async function endAgain(context: CheckContext, job: FinishedJob): Promise<FinishedJob> {
  return retryToEnd(context, job, 5000);
}

interface RetriedLate {
  readonly retried: SubmittedJob;
  /** Submitted together with it, and not retried. */
  readonly leftAlone: SubmittedJob;
}

/** Retries jobs that have waited for a while, and expects the ttl of one of them to end when it would have ended. */
export async function retryLate(context: CheckContext): Promise<RetriedLate> {
  const { api, time, jobs, expect } = context;
  const old = await submitJob(context, jobs.quick("old"), { policy: { ttl: 20_000 } });
  const leftAlone = await submitJob(context, jobs.quick("left alone"));
  const retried = await submitJob(context, jobs.quick("retried"));
  await time.pass(15_000);
  for (const { id } of [old, retried]) {
    expect.refused(await api.retry(id), "retry of a job that has waited for 15 s");
  }
  await time.pass(5001);
  const state = stateOf(await api.status(old.id));
  expect.that(state !== "IN_QUEUE" && state !== "IN_PROGRESS", {
    at: "a job past its ttl of 20 s, retried before",
    expected: "no unfinished job",
    got: state,
  });
  return { retried, leftAlone };
}

/** Records a difference unless both jobs, which waited together, show the same delayTime. */
export async function expectSameDelay(
  context: CheckContext,
  { retried, leftAlone }: RetriedLate,
): Promise<void> {
  const { record: other } = await waitForEnd(context, leftAlone);
  const { record } = await waitForEnd(context, retried);
  const at = "delayTime of a job retried late, beside one that was not";
  context.expect.equal(record["delayTime"], other["delayTime"], at);
}

/**
 * Records a difference unless a retry is refused and leaves the record as it was.
 * @throws Inconclusive where the job is not CANCELLED
 */
export async function expectStaysCancelled(
  context: CheckContext,
  id: string,
  from: string,
): Promise<void> {
  const { api, time, expect } = context;
  const { record: before } = requireState({ record: await readJob(context, id) }, "CANCELLED");
  expect.refused(await api.retry(id), `retry of a job cancelled ${from}`);
  await time.settle();
  const after = await readJob(context, id);
  const at = `record of the job cancelled ${from}`;
  expect.equal(lastingFields(after), lastingFields(before), at);
}

/** Records a difference unless a job past its retention refuses a retry and stays gone. */
export async function expectTooLate(
  { api, time, expect }: CheckContext,
  job: FinishedJob,
  by: SubmitOperation,
): Promise<void> {
  const at = `retry of a ${job.record.status} ${by} job past its retention`;
  const retry = async (): Promise<Exchange> => api.retry(job.id);
  const { exchange } = await time.after(job.finishedAt, retentionMsMax[by], retry);
  expect.refused(exchange, at);
  await time.settle();
  const state = stateOf(await api.status(job.id));
  const isGone = !unfinishedOrCompleted.includes(state);
  expect.that(isGone, { at, expected: "a job that stays gone", got: state });
}

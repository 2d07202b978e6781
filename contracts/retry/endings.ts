import type { Exchange } from "../../client/exchange.ts";
import { retryToEnd, requireState } from "../../harness/jobs/fixtures.ts";
import { runToEnd } from "../../harness/jobs/submit.ts";
import { expectOutput } from "../../harness/jobs/offered-jobs.ts";
import type { FinishedJob, SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { Submission } from "../../harness/jobs/submit.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { JobInput } from "../../harness/inputs/jobs.ts";

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

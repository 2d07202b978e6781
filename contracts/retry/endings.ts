import type { Exchange } from "../../client/index.ts";
import {
  Inconclusive,
  requireRead,
  waitForEnd,
  inputs,
  readRecord,
  startJob,
  submitJobBy,
} from "../../harness/index.ts";
import type {
  FinishedJob,
  LooseRecord,
  Submission,
  SubmitOperation,
  SubmittedJob,
  CheckContext,
} from "../../harness/index.ts";

/** The shortest executionTimeout there is (POLI-01). */
export const shortestTimeoutMs = 5000;

/**
 * A job that has failed by its handler's error.
 * @throws Undecided where it has not
 */
export async function runToFailureBy(
  context: CheckContext,
  input: unknown,
  submission: Submission = {},
): Promise<FinishedJob> {
  return ended(await waitForEnd(context, await submitJobBy(context, input, submission)), "FAILED");
}

/**
 * A job of 5000 ms executionTimeout that ran longer.
 * @throws Undecided where it is not TIMED_OUT
 */
export async function runToTimeout(
  context: CheckContext,
  input: unknown = inputs.sleep(60_000),
  by: SubmitOperation = "run",
): Promise<FinishedJob> {
  const extra = { policy: { executionTimeout: shortestTimeoutMs } };
  const job = await startJob(context, input, { extra, by });
  return ended(await waitForEnd(context, job, shortestTimeoutMs), "TIMED_OUT");
}

function ended(job: FinishedJob, state: string): FinishedJob {
  if (job.record.status === state) return job;
  throw new Inconclusive(`a job had to end ${state}, but it is ${job.record.status}`);
}

/**
 * Retries a job, as the beginning of something else.
 * @throws Undecided where it is refused: that is for the checks of allowed retries to judge
 */
export async function retryJob({ api }: CheckContext, { id }: SubmittedJob): Promise<LooseRecord> {
  return requireRead(readRecord(await api.retry(id)), "a job had to be retried, but retry gave");
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

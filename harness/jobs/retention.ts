import type { Exchange } from "../../client/exchange.ts";
import type { EndpointHandle } from "../endpoint/clock-modes.ts";
import type { Expectations } from "../expect.ts";
import type { CheckContext } from "../check-context.ts";
import type { FinishedJob } from "./fixtures.ts";
import { statusAfter, statusBefore } from "./job-state.ts";
import { Inconclusive } from "../outcome.ts";
import { answerOf, isSuccess, describeAnswer } from "../read.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";

/** How long a result is kept at least, in milliseconds, by the operation that submitted its job (RUNA-04, SYNC-07). */
export const retentionMs: Readonly<Record<SubmitOperation, number>> = {
  run: 1_800_000,
  runsync: 60_000,
};

/** How long a result may be kept at most; that of runsync in any reading (RUNA-05, SYNC-08). */
export const retentionMsMax: Readonly<Record<SubmitOperation, number>> = {
  run: retentionMs.run,
  runsync: 300_000,
};

/** So much before the end of its retention a result is read, so that it is there surely. */
const beforeRetentionEndsMs = 10_000;

/**
 * When the work of a slow job that was ended early would usually have been done, in milliseconds after that: no later
 * than its record is kept.
 * @param workMs how long the check wants it to work
 */
export function workedMsOf(
  { jobs }: Pick<EndpointHandle, "jobs">,
  workMs: number,
  by: SubmitOperation,
): number {
  return Math.min(jobs.usualMs(workMs), retentionMs[by] - beforeRetentionEndsMs);
}

/** Records a difference unless the job has the status and the output that it ended with. */
export function expectKept(
  expect: Expectations,
  exchange: Exchange,
  { job, at }: { readonly job: FinishedJob; readonly at: string },
): void {
  const record = expect.record(exchange, at);
  expect.equal(record.status, job.record.status, `${at}: status`);
  expect.equal(record["output"], job.record["output"], `${at}: output`);
}

/** Records a difference unless the job is kept as it ended until shortly before its end is `ageMs` old. */
export async function expectKeptUntil(
  context: EndpointHandle & Pick<CheckContext, "expect">,
  job: FinishedJob,
  ageMs: number,
  at: string,
): Promise<void> {
  const exchange = await statusBefore(context, job.id, job.finishedAt, ageMs);
  expectKept(context.expect, exchange, { job, at });
}

/** Records a difference unless the job is not found, by any 4xx, shortly after its end is `ageMs` old. */
export async function expectGoneAfter(
  context: EndpointHandle & Pick<CheckContext, "expect">,
  job: FinishedJob,
  ageMs: number,
  at: string,
): Promise<void> {
  context.expect.refused(await statusAfter(context, job.id, job.finishedAt, ageMs), at);
}

/** Whether a read still finds a job, for a check that compares moments. */
export function isFound(exchange: Exchange): boolean {
  const answer = answerOf(exchange);
  if (isSuccess(answer)) return true;
  if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) return false;
  throw new Inconclusive(
    `could not find out whether a job is still kept: ${describeAnswer(answer)}`,
  );
}

import type { Exchange } from "../../client/index.ts";
import type { Expectations } from "../expect.ts";
import type { FinishedJob } from "./fixtures.ts";
import { Inconclusive } from "../outcome.ts";
import { answerOf, isSuccess, describeAnswer } from "../read.ts";

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

/** Records a difference unless the job is not found: any 4xx. */
export function expectGone(expect: Expectations, exchange: Exchange, at: string): void {
  expect.refused(exchange, at);
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

import type { Exchange } from "../../client/index.ts";
import {
  answerOf,
  arranged,
  outline,
  readRecord,
  show,
  stateOf,
  Undecided,
} from "../../harness/index.ts";
import type { SubmittedJob, Tools } from "../../harness/index.ts";

/** An answer to cancel that takes longer was waiting for something (CANC-03). */
export const promptMs = 5000;

/** Cancels the job. A target that answers late is not waited for longer than need be. */
export async function cancelled({ api }: Tools, { id }: SubmittedJob): Promise<Exchange> {
  return api.cancel(id, { timeoutMs: promptMs });
}

/**
 * Cancels the job, as the beginning of something else.
 * @throws Undecided where it is refused
 */
export async function arrangeCancel(tools: Tools, job: SubmittedJob): Promise<void> {
  arranged(readRecord(await cancelled(tools, job)), "a job had to be cancelled, but cancel gave");
}

/** Cancels the job and records a difference unless the answer is its id and CANCELLED. */
export async function expectCancelled(tools: Tools, job: SubmittedJob, at: string): Promise<void> {
  const record = tools.expect.record(await cancelled(tools, job), `cancel of ${at}`);
  tools.expect.equal(record.id, job.id, `id in the cancel of ${at}`);
  tools.expect.equal(record.status, "CANCELLED", `status in the cancel of ${at}`);
}

/** Records a difference where the job has been processed to an end after all. */
export async function expectNoResult(tools: Tools, job: SubmittedJob, at: string): Promise<void> {
  await tools.time.settle();
  const exchange = await tools.api.status(job.id);
  const read = readRecord(exchange);
  const done = read.ok && (read.body.status === "COMPLETED" || Object.hasOwn(read.body, "output"));
  tools.expect.that(!done, { at, expected: "no result", got: outline(answerOf(exchange)) });
}

/** Records a difference unless status shows CANCELLED, and no output. */
export async function expectShown(tools: Tools, job: SubmittedJob, at: string): Promise<void> {
  await tools.time.settle();
  const exchange = await tools.api.status(job.id);
  tools.expect.equal(stateOf(exchange), "CANCELLED", `status of ${at}`);
  const read = readRecord(exchange);
  const output = read.ok && Object.hasOwn(read.body, "output") ? show(read.body["output"]) : "none";
  tools.expect.equal(output, "none", `output of ${at}`);
}

/**
 * Cancels a job that has ended. How that is answered is open (CANC-06), but for what says nothing of the job.
 * @throws Undecided where it is answered with 401 or 429
 */
export async function cancelFinished(tools: Tools, job: SubmittedJob): Promise<Exchange> {
  const exchange = await cancelled(tools, job);
  const answer = answerOf(exchange);
  if (answer.status !== 401 && answer.status !== 429) return exchange;
  throw new Undecided(`cancel of a finished job: ${outline(answer)}`);
}

import type { SubmitOperation } from "../../openapi/operations.ts";
import type { Exchange } from "../../client/exchange.ts";
import { requireRead, waitForEnd, waitUntilInProgress, submitJob } from "./fixtures.ts";
import type { CheckContext } from "../check-context.ts";
import type { EndpointHandle } from "../endpoint/clock-modes.ts";
import type { FinishedJob, SubmittedJob } from "./fixtures.ts";
import type { Interval } from "../interval.ts";
import { spanning } from "../interval.ts";
import { Unsupported } from "../outcome.ts";
import { readRecord } from "../record.ts";
import { createDeferred } from "../deferred.ts";
import { unfinishedIn } from "./counts.ts";
import type { EndpointWorkers } from "../endpoint/workers.ts";

/** The two operations that submit a job; a requirement about jobs holds for both. */
export const submitOperations: readonly SubmitOperation[] = ["run", "runsync"];

/**
 * Those of the two that the target has.
 * @throws Unsupported where it has none of them
 */
export function submitOperationsOf({
  lacks,
}: Pick<CheckContext, "lacks">): readonly SubmitOperation[] {
  const offered = submitOperations.filter((name) => !lacks(name));
  if (offered.length === 0) throw new Unsupported("there is neither run nor runsync");
  return offered;
}

/** How a job is submitted: what goes with the input, and by which operation (run when absent). */
export interface Submission {
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly by?: SubmitOperation;
}

/** A job in progress, and the interval in which a worker took it. */
export interface StartedJob extends SubmittedJob {
  readonly startedAt: Interval;
}

/** An endpoint, and its workers where they are known. */
type HandleWithWorkers = EndpointHandle & { readonly workers?: EndpointWorkers };

/** A runsync on its way: the target has it, and perhaps has answered. */
export interface HeldRunsync {
  readonly sentAt: Interval;
  readonly answer: Promise<Exchange>;
  readonly isAnswered: () => boolean;
}

/** The shortest wait that runsync knows (SYNC-03). */
const waitMsMin = 1000;
/** How often to look whether a request has arrived before going on as if it had; less where health shows no counts. */
const looksMax = { counted: 200, uncounted: 20 };
/** Long enough on a virtual clock, where an answer takes only the machine's own time. */
const virtualTimeoutMs = 10_000;

/**
 * Sends a runsync and returns when the target has it, without waiting for its answer: neither may a virtual clock be
 * moved before the request is there, nor the request be broken off. An endpoint that others share does not tell; there it
 * returns once the request is sent.
 */
export async function sendHeldRunsync(
  { api, time, workers }: HandleWithWorkers,
  body: unknown,
  wait?: number,
): Promise<HeldRunsync> {
  // On a real clock nothing depends on what health shows.
  const asking = time.choose({ virtual: api, real: api.with({ onLacking: undefined }) });
  const { exchange, at: sentAt } = await time.observe(async () => asking.health());
  const unfinishedBefore = unfinishedIn(exchange);
  let answered = false;
  const sent = createDeferred();
  const answer = api
    .runsync(body, {
      ...(wait === undefined ? {} : { wait }),
      ...time.choose({ virtual: { timeoutMs: virtualTimeoutMs }, real: {} }),
      onSend: sent.resolve,
    })
    .finally(() => {
      answered = true;
    });
  const isAnswered = (): boolean => answered;
  await Promise.race([sent.promise, answer]);
  if (!time.virtual && workers?.own !== true) return { sentAt, answer, isAnswered };

  const max = unfinishedBefore === undefined ? looksMax.uncounted : looksMax.counted;
  for (let looks = 0; looks < max && !isAnswered(); looks += 1) {
    const unfinished = unfinishedIn(await api.health());
    if (unfinished !== undefined && unfinished !== unfinishedBefore) break;
  }
  return { sentAt, answer, isAnswered };
}

/** Sends a runsync with the shortest wait. If its job does not end, moves a virtual clock by 1001 ms. */
export async function runSyncShortly(
  handle: EndpointHandle,
  body: unknown,
): Promise<{ readonly exchange: Exchange; readonly sentAt: Interval }> {
  const { time } = handle;
  const held = await sendHeldRunsync(handle, body, waitMsMin);
  if (!held.isAnswered()) await time.advance(waitMsMin + 1);
  const exchange = await held.answer;
  const { sentAtMs: earliestMs, answeredAtMs: latestMs } = exchange;
  const sentAt = time.choose({ virtual: held.sentAt, real: { earliestMs, latestMs } });
  return { exchange, sentAt };
}

/**
 * Submits a job by run or by runsync, as a preparation. A runsync whose job does not end takes its whole wait: 1001 ms
 * on a virtual clock. If runsync answers 500 without an id, as it may for a failed job, a second job is submitted while
 * the workers are stalled, where no other check uses them.
 * @throws Inconclusive where it is not accepted, Unsupported where nothing tells its id
 */
export async function submitJobBy(
  handle: HandleWithWorkers,
  input: unknown,
  { extra, by }: Submission = {},
): Promise<SubmittedJob> {
  if (by !== "runsync") return submitJob(handle, input, extra);

  const body = { input, ...extra };
  const submit = async () => runSyncShortly(handle, body);
  let { exchange, sentAt } = await submit();
  let read = readRecord(withRecordOfFailure(exchange));
  if (!read.ok && exchange.answer?.status === 500 && handle.workers?.own === true) {
    ({ exchange, sentAt } = await handle.workers.whileStalled(submit));
    read = readRecord(exchange);
  }
  if (!read.ok && exchange.answer?.status === 500) {
    throw new Unsupported("runsync answers 500 without an id where the job has failed");
  }
  const { id } = requireRead(
    read.ok ? read : readRecord(exchange),
    "could not submit the job this check needs: runsync answered",
  );
  return { id, submittedAt: sentAt };
}

/**
 * Submits a job by run or by runsync and waits until it has ended, for at most `withinMs` of the endpoint's time.
 * @throws Inconclusive where it is not accepted or does not end
 */
export async function runToEnd(
  handle: HandleWithWorkers,
  input: unknown,
  submission: Submission = {},
  withinMs = 0,
): Promise<FinishedJob> {
  return waitForEnd(handle, await submitJobBy(handle, input, submission), withinMs);
}

/** Treats a 500 as a success, to read its body: runsync may answer 500 where a job has failed (SYNC-10). */
function withRecordOfFailure(exchange: Exchange): Exchange {
  const { answer } = exchange;
  if (answer?.status !== 500) return exchange;
  return { ...exchange, answer: answer.translated({ status: 200 }) };
}

/**
 * Submits a job that a free worker takes at once, and waits until it is in progress.
 * @throws Inconclusive where it does not get there
 */
export async function startJob(
  handle: EndpointHandle,
  input: unknown,
  submission: Submission = {},
): Promise<StartedJob> {
  const job = await submitJobBy(handle, input, submission);
  await waitUntilInProgress(handle, job);
  // On a virtual clock a free worker takes a job at the instant of its submission.
  if (handle.time.virtual) return { ...job, startedAt: job.submittedAt };
  const { at } = await handle.time.observe(async () => handle.api.status(job.id));
  return { ...job, startedAt: spanning(job.submittedAt, at) };
}

import type { Interval } from "../interval.ts";
import { spanning } from "../interval.ts";
import { Inconclusive, StateMissed } from "../outcome.ts";
import { countsNoneWaiting } from "../read.ts";
import { isFinal, readRecord } from "../record.ts";
import type { LooseRecord } from "../record.ts";
import type { EndpointHandle } from "../endpoint/clock-modes.ts";

/** A job, and the interval in which it was submitted. */
export interface SubmittedJob {
  readonly id: string;
  readonly submittedAt: Interval;
}

/** A job that has ended, its record, and the interval in which it ended. */
export interface FinishedJob extends SubmittedJob {
  readonly record: LooseRecord;
  readonly finishedAt: Interval;
}

/**
 * Submits a job with POST run, as a preparation.
 * @throws Inconclusive where run does not accept it: that is for the checks of run to judge
 */
export async function submitJob(
  { api, time }: EndpointHandle,
  input: unknown,
  extra: Readonly<Record<string, unknown>> = {},
): Promise<SubmittedJob> {
  const { exchange, at } = await time.observe(async () => api.run({ input, ...extra }));
  const { id } = requireRead(
    readRecord(exchange),
    "could not submit the job this check needs: run answered",
  );
  return { id, submittedAt: at };
}

/**
 * Waits until status knows the job: on a real clock a new id may take a moment to be readable.
 * @throws Inconclusive where it stays unknown
 */
export async function waitUntilReadable(
  { api, time }: EndpointHandle,
  job: SubmittedJob,
): Promise<SubmittedJob> {
  const record = await time.until(
    async () => readRecord(await api.status(job.id)),
    ({ ok }) => ok,
  );
  requireRead(record, "could not read the job this check needs: status answered");
  return job;
}

/** What of an endpoint reads a job until it has ended. */
interface StatusReader {
  readonly api: Pick<EndpointHandle["api"], "status">;
  readonly time: Pick<EndpointHandle["time"], "now" | "observe" | "until">;
}

/** A status that fails so many times in a row will not tell the end of the job: some seconds on a real clock. */
const failuresMax = 10;

/**
 * Waits until the job has ended, for at most `withinMs` of the endpoint's time.
 * @throws Inconclusive where it does not end
 */
export async function waitForEnd(
  { api, time }: StatusReader,
  job: SubmittedJob,
  withinMs = 0,
): Promise<FinishedJob> {
  let lastUnfinished = job.submittedAt;
  let failures = 0;
  const begunMs = time.now().latestMs;
  const seen = await time.until(
    async () => time.observe(async () => api.status(job.id)),
    ({ exchange, at }) => {
      const record = readRecord(exchange);
      const done = record.ok && isFinal(record.body);
      if (!done) lastUnfinished = at;
      failures = exchange.answer?.status === 500 ? failures + 1 : 0;
      return done || failures === failuresMax;
    },
    withinMs,
  );
  const record = requireRead(
    readRecord(seen.exchange),
    "could not read the job this check waits for: status answered",
  );
  if (!isFinal(record)) {
    const waitedMs = Math.round(time.now().latestMs - begunMs);
    throw new Inconclusive(
      `the job this check needs is still ${record.status} after ${waitedMs} ms`,
    );
  }
  return { ...job, record, finishedAt: spanning(lastUnfinished, seen.at) };
}

/**
 * Submits a quick job and waits until it has completed: with the conformance handler, an echo of the value.
 * @throws Inconclusive where it does not
 */
export async function runToCompletion(
  handle: EndpointHandle,
  value: unknown = "done",
): Promise<FinishedJob> {
  const job = await submitJob(handle, handle.jobs.quick(value));
  return requireState(await waitForEnd(handle, job), "COMPLETED");
}

/**
 * Submits a job that fails by its handler's error, and waits until it has failed.
 * @throws Inconclusive where it does not
 */
export async function runToFailure(
  handle: EndpointHandle,
  message = "asked to fail",
): Promise<FinishedJob> {
  const job = await submitJob(handle, handle.jobs.failing(message));
  return requireState(await waitForEnd(handle, job), "FAILED");
}

/**
 * Waits until a job of which only the id is known has ended, and returns its record.
 * @throws Inconclusive where it does not end
 */
export async function recordAtEnd(handle: EndpointHandle, id: string): Promise<LooseRecord> {
  const submittedAt = { earliestMs: 0, latestMs: 0 };
  return (await waitForEnd(handle, { id, submittedAt })).record;
}

/**
 * Returns the job, where it is in the state that a check needs.
 * @throws Inconclusive where it is in another one: that is for the checks of that state to judge
 */
export function requireState<Job extends { readonly record: { readonly status: string } }>(
  job: Job,
  state: string,
): Job {
  if (job.record.status === state) return job;
  throw new StateMissed(state, job.record.status);
}

/**
 * Retries a job, as a preparation.
 * @throws Inconclusive where it is refused: that is for the checks of allowed retries to judge
 */
export async function retryJob(
  { api }: EndpointHandle,
  { id }: Pick<SubmittedJob, "id">,
): Promise<LooseRecord> {
  return requireRead(readRecord(await api.retry(id)), "could not retry a job: retry answered");
}

/**
 * Retries a job and waits for its next end, for at most `withinMs` of the endpoint's time.
 * @throws Inconclusive where the retry is refused, or the job does not end
 */
export async function retryToEnd(
  handle: EndpointHandle,
  { id }: Pick<SubmittedJob, "id">,
  withinMs = 0,
): Promise<FinishedJob> {
  const submittedAt = handle.time.now();
  await retryJob(handle, { id });
  return waitForEnd(handle, { id, submittedAt }, withinMs);
}

/** A free worker has taken a job after so long; health is asked from then on whether it waits, and so often at most. */
const atWorkWithinMs = 4000;
const healthLooksMax = 3;

/**
 * Waits until the job is IN_PROGRESS, for no longer where health counts it as one at work.
 * @throws Inconclusive where it does not get there
 */
export async function waitUntilInProgress(
  { api, time }: EndpointHandle,
  job: SubmittedJob,
): Promise<void> {
  api.demandInProgress();
  const begunMs = time.now().latestMs;
  let looks = 0;
  const read = async () => {
    const record = readRecord(await api.status(job.id));
    const isQueued = record.ok && record.body.status === "IN_QUEUE";
    const isLate = time.now().latestMs - begunMs > atWorkWithinMs;
    if (!isQueued || !isLate || looks === healthLooksMax) return { record, isAtWork: false };
    // A job that no worker has taken yet is counted as one that waits; some servers never show one as IN_PROGRESS.
    looks += 1;
    const isAtWork = countsNoneWaiting(await api.with({ onLacking: undefined }).health());
    return { record: readRecord(await api.status(job.id)), isAtWork };
  };
  const seen = await time.until(
    read,
    ({ record, isAtWork }) => isAtWork || (record.ok && record.body.status === "IN_PROGRESS"),
  );
  const { status } = requireRead(
    seen.record,
    "the job this check needs is not in progress: status answered",
  );
  if (status !== "IN_PROGRESS") throw new StateMissed("IN_PROGRESS", status);
}

/** Reads the current record of a job; ends the check where it cannot be read. */
export async function readJob({ api }: EndpointHandle, id: string): Promise<LooseRecord> {
  return requireRead(
    readRecord(await api.status(id)),
    "could not read the job this check needs: status answered",
  );
}

/**
 * Returns the body that a preparation needs.
 * @throws Inconclusive with the sentence and what came instead
 */
export function requireRead<Body>(
  read: { readonly ok: true; readonly body: Body } | { readonly ok: false; readonly got: string },
  sentence: string,
): Body {
  if (read.ok) return read.body;
  throw new Inconclusive(`${sentence} ${read.got.replace(/^status /, "")}`);
}

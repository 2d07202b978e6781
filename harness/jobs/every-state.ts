import {
  runToCompletion,
  runToFailure,
  waitForEnd,
  waitUntilInProgress,
  inputs,
  waitUntilReadable,
  submitJob,
  requireState,
} from "./fixtures.ts";
import type { EndpointHandle } from "../endpoint/endpoint-handle.ts";
import { Inconclusive } from "../outcome.ts";
import type { EndpointWorkers } from "../endpoint/workers.ts";

/** A job that is in a known state. */
export interface JobInState {
  readonly id: string;
  readonly state: string;
  /** The state, and how the job got there. */
  readonly at: string;
  /** What the job has put out; only of a completed one. */
  readonly output?: unknown;
}

/** The shortest executionTimeout (POLI-01). */
const timeoutMs = 5000;
/** Chunks come every second: jobs that do not complete have put out something, too. */
const working = inputs.stream(60, 1000);
const partlyDoneMs = 1500;

/** What it takes on a real clock to have jobs in every state. */
export const everyStateMs = 12_000;

/**
 * Runs a task with jobs in each of the six states, the last ones still waiting and working: they are cancelled then.
 * Needs an exclusive endpoint, whose workers are stalled meanwhile.
 * @throws Inconclusive where a state cannot be brought about
 */
export async function withJobsInEveryState(
  handle: EndpointHandle & { readonly workers: EndpointWorkers },
  task: (jobs: readonly JobInState[]) => Promise<void>,
): Promise<void> {
  const { api, workers } = handle;
  const done = await runToCompletion(handle, ["some", "value"]);
  const error = await runToFailure(handle);
  const timedOut = await runIntoTimeout(handle);
  const stopped = await workOn(handle);
  await cancelled(handle, stopped);

  const busy = await workOn(handle);
  await workers.whileStalled(async () => {
    const skipped = await submitJob(handle, working);
    await cancelled(handle, skipped.id);
    const queued = await waitUntilReadable(handle, await submitJob(handle, working));
    await task([
      { id: done.id, state: "COMPLETED", at: "COMPLETED", output: { value: ["some", "value"] } },
      { id: error.id, state: "FAILED", at: "FAILED" },
      { id: timedOut, state: "TIMED_OUT", at: "TIMED_OUT" },
      { id: stopped, state: "CANCELLED", at: "CANCELLED in progress" },
      { id: skipped.id, state: "CANCELLED", at: "CANCELLED in the queue" },
      { id: busy, state: "IN_PROGRESS", at: "IN_PROGRESS" },
      { id: queued.id, state: "IN_QUEUE", at: "IN_QUEUE" },
    ]);
    await api.cancel(queued.id);
    await api.cancel(busy);
  });
}

async function runIntoTimeout(handle: EndpointHandle): Promise<string> {
  const policy = { executionTimeout: timeoutMs };
  const job = await submitJob(handle, working, { policy });
  await waitUntilInProgress(handle, job);
  requireState(await waitForEnd(handle, job, timeoutMs + handle.time.marginMs), "TIMED_OUT");
  return job.id;
}

/** A job that is in progress and has put out a first chunk. */
async function workOn(handle: EndpointHandle): Promise<string> {
  const job = await submitJob(handle, working);
  await waitUntilInProgress(handle, job);
  await handle.time.pass(partlyDoneMs);
  return job.id;
}

async function cancelled(handle: EndpointHandle, id: string): Promise<void> {
  const { exchange, at } = await handle.time.observe(async () => handle.api.cancel(id));
  if (exchange.answer === undefined) throw new Inconclusive("cancel was not answered");
  requireState(await waitForEnd(handle, { id, submittedAt: at }), "CANCELLED");
}

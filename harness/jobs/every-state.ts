import {
  runToCompletion,
  runToFailure,
  waitForEnd,
  waitUntilInProgress,
  waitUntilReadable,
  submitJob,
  requireState,
} from "./fixtures.ts";
import { runToTimeout } from "./endings.ts";
import type { SubmittedJob } from "./fixtures.ts";
import type { Interval } from "../interval.ts";
import type { CheckContext } from "../check-context.ts";
import type { JobInput, KnownOutput } from "../inputs/jobs.ts";
import type { EndpointHandle } from "../endpoint/clock-modes.ts";
import { Inconclusive } from "../outcome.ts";

/** A job that is in a known state. */
export interface JobInState {
  readonly id: string;
  readonly state: string;
  /** Its name in messages: the state, and how the job got there. */
  readonly at: string;
  /** What the job has put out, where that is known of a completed one. */
  readonly output?: KnownOutput | undefined;
  /** For a job that has not ended: up to which age, counted from `since`, it surely does not. */
  readonly lasts?: { readonly since: Interval; readonly ageMs: number };
}

/** Chunks come every second: jobs that do not complete have put out something, too. */
const working = { chunks: 60, intervalMs: 1000 };
const partlyDoneMs = 1500;
/** What it may take to occupy all workers. */
const occupyingMs = 2000;

/** What it takes on a real clock to have jobs in every state. */
export const everyStateMs = 12_000;
/** How long a slow job has to work for that: longer than the shortest executionTimeout, and than it takes to look. */
export const everyStateSlowMs = 7000;

/**
 * Runs a task three times, with jobs in all six states together: with one that works; with one that waits while the
 * workers are stalled; and with those that have ended. The first two are cancelled after the task. No job has failed
 * where none can be asked to.
 * @throws Inconclusive where a state cannot be brought about
 */
export async function withJobsInEveryState(
  handle: EndpointHandle & Pick<CheckContext, "workers" | "offers">,
  task: (jobs: readonly JobInState[]) => Promise<void>,
): Promise<void> {
  const { time, workers, jobs, offers } = handle;
  const value = ["some", "value"];
  const done = await runToCompletion(handle, value);
  const errors = offers("failing") ? [await runToFailure(handle)] : [];
  const timedOut = await runToTimeout(handle, workingInput(handle));

  const busy = await workOn(handle);
  const { atLeastMs: ageMs } = jobs.lengthOf(working.chunks * working.intervalMs);
  const lasts = { since: busy.submittedAt, ageMs };
  await task([{ id: busy.id, state: "IN_PROGRESS", at: "IN_PROGRESS", lasts }]);
  await cancelled(handle, busy.id);

  const skipped = await workers.whileStalled(async () => {
    // The jobs that stall the workers have just begun, and work at least as long.
    const stalled = { since: time.now(), ageMs: ageMs - occupyingMs };
    const job = await submitJob(handle, workingInput(handle));
    await cancelled(handle, job.id);
    const queued = await waitUntilReadable(handle, await submitJob(handle, workingInput(handle)));
    await task([{ id: queued.id, state: "IN_QUEUE", at: "IN_QUEUE", lasts: stalled }]);
    await cancelled(handle, queued.id);
    return job;
  });
  await task([
    {
      id: done.id,
      state: "COMPLETED",
      at: "COMPLETED",
      output: jobs.outputOf(jobs.quick(value)),
    },
    ...errors.map(({ id }) => ({ id, state: "FAILED", at: "FAILED" })),
    { id: timedOut.id, state: "TIMED_OUT", at: "TIMED_OUT" },
    { id: busy.id, state: "CANCELLED", at: "CANCELLED in progress" },
    { id: skipped.id, state: "CANCELLED", at: "CANCELLED in the queue" },
  ]);
}

function workingInput({ jobs }: EndpointHandle): JobInput {
  return jobs.slowYielding(working.chunks, working.intervalMs);
}

/** A job that is in progress and has put out a first chunk. */
async function workOn(handle: EndpointHandle): Promise<SubmittedJob> {
  const job = await submitJob(handle, workingInput(handle));
  await waitUntilInProgress(handle, job);
  await handle.time.pass(partlyDoneMs);
  return job;
}

async function cancelled(handle: EndpointHandle, id: string): Promise<void> {
  const { exchange, at } = await handle.time.observe(async () => handle.api.cancel(id));
  if (exchange.answer === undefined) throw new Inconclusive("cancel was not answered");
  requireState(await waitForEnd(handle, { id, submittedAt: at }), "CANCELLED");
}

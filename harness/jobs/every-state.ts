import {
  completed,
  failed,
  finished,
  inProgress,
  inputs,
  readable,
  submitted,
} from "./fixtures.ts";
import type { Place } from "./fixtures.ts";
import { Undecided } from "../outcome.ts";
import type { Workers } from "../endpoint/workers.ts";

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
 * Jobs in each of the six states, the last ones still waiting and working: `release` ends them. Needs an exclusive
 * endpoint, whose workers are stalled until then.
 * @throws Undecided where a state cannot be brought about
 */
export async function jobsInEveryState(
  place: Place & { readonly workers: Workers },
): Promise<{ readonly jobs: readonly JobInState[]; readonly release: () => Promise<void> }> {
  const { api, workers } = place;
  const done = await completed(place, ["some", "value"]);
  const error = await failed(place);
  const timedOut = await runIntoTimeout(place);
  const stopped = await workOn(place);
  await cancelled(place, stopped);

  const busy = await workOn(place);
  await workers.stall();
  const skipped = await submitted(place, working);
  await cancelled(place, skipped.id);
  const queued = await readable(place, await submitted(place, working));
  return {
    jobs: [
      { id: done.id, state: "COMPLETED", at: "COMPLETED", output: { value: ["some", "value"] } },
      { id: error.id, state: "FAILED", at: "FAILED" },
      { id: timedOut, state: "TIMED_OUT", at: "TIMED_OUT" },
      { id: stopped, state: "CANCELLED", at: "CANCELLED in progress" },
      { id: skipped.id, state: "CANCELLED", at: "CANCELLED in the queue" },
      { id: busy, state: "IN_PROGRESS", at: "IN_PROGRESS" },
      { id: queued.id, state: "IN_QUEUE", at: "IN_QUEUE" },
    ],
    release: async () => {
      await api.cancel(queued.id);
      await api.cancel(busy);
      await workers.resume();
    },
  };
}

async function runIntoTimeout(place: Place): Promise<string> {
  const policy = { executionTimeout: timeoutMs };
  const job = await submitted(place, working, { policy });
  await inProgress(place, job);
  demand("TIMED_OUT", await finished(place, job, timeoutMs + place.time.marginMs));
  return job.id;
}

/** A job that is in progress and has put out a first chunk. */
async function workOn(place: Place): Promise<string> {
  const job = await submitted(place, working);
  await inProgress(place, job);
  await place.time.pass(partlyDoneMs);
  return job.id;
}

async function cancelled(place: Place, id: string): Promise<void> {
  const { exchange, at } = await place.time.observe(async () => place.api.cancel(id));
  if (exchange.answer === undefined) throw new Undecided("cancel was not answered");
  demand("CANCELLED", await finished(place, { id, submittedAt: at }));
}

function demand(state: string, { record }: { readonly record: { readonly status: string } }): void {
  if (record.status === state) return;
  throw new Undecided(`a job had to end ${state}, but it is ${record.status}`);
}

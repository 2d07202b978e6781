import { monotonicNowMs } from "../../client/exchange.ts";
import type { JobInput } from "../../harness/inputs/jobs.ts";
import { isSettled } from "../open-loop/job-book.ts";
import type { Slot } from "../open-loop/open-loop.ts";
import type { BookedRun } from "../open-loop/booked-run.ts";
import type { FaultSchedule } from "./fault-scenario.ts";
import type { FaultJob, FaultObservation, FaultRole } from "./observation.ts";
import { healthShown } from "../open-loop/health-counts.ts";

/** Long enough to be at work for the whole scenario. */
const longWorkMs = 120_000;
/** The shortest ttl (docs/specification.md#limits). */
const ttlMs = 10_000;
/** Begun 4 s before the fault, it ends 10 s after it: a timer that begins anew ends later by far. */
const executionTimeoutMs = 14_000;
const timersBeforeMs = 4_000;
const timers: NonNullable<FaultObservation["timers"]> = { executionTimeoutMs, ttlMs };
const endMsMax = 20_000;
/** More workers than this are not kept busy for the sake of a few jobs behind them. */
const occupiedMax = 20;

export type Placed = Pick<FaultObservation, "timers" | "noTimers">;

/** Jobs of which something is known before the load begins: results, failures, and jobs that were cancelled. */
export async function placeEnded(run: BookedRun<FaultRole>): Promise<void> {
  const { first: mix, jobs } = run;
  const submitted = [
    ...["first", "second", "third"].map(async (value) =>
      mix.submit("run", { role: "completed", input: jobs.quick(value) }),
    ),
    ...(run.fails
      ? (["failed", "failed", "retried", "retried"] as const).map(async (role, at) =>
          mix.submit("run", { role, input: jobs.failing(`failure ${at}`) }),
        )
      : []),
  ];
  const placed = await Promise.all(submitted);
  if (run.works) {
    const working = { role: "cancelled", input: jobs.slow(longWorkMs) } as const;
    const dead = await Promise.all([mix.submit("run", working), mix.submit("run", working)]);
    for (const job of dead) if (job.id !== undefined) await mix.cancel(job);
    placed.push(...dead);
  }
  await run.readUntil(placed, isSettled, { longestMs: endMsMax + jobs.graceMs });
}

/**
 * Keeps the workers of the second endpoint busy, and puts jobs behind them: some are purged, others expire. Returns why
 * there are none.
 */
export async function placeDead(run: BookedRun<FaultRole>): Promise<string | undefined> {
  const { second: client, jobs } = run;
  if (client === undefined) {
    return "a second endpoint (--endpoint twice) or the control protocol would show it";
  }
  if (!run.works) return "jobs that work for a while (slow, in a jobs file) would show it";
  const { atLeastMs } = jobs.lengthOf(longWorkMs);
  if (atLeastMs < 2 * executionTimeoutMs) {
    return `the slow job works for ${atLeastMs} ms; one of ${2 * executionTimeoutMs} ms would show it`;
  }
  const workers = (await healthShown(client))?.workers ?? 1;
  if (workers > occupiedMax)
    return `${workers} workers of the second endpoint would have to be kept busy`;
  const slow = { role: "occupying", input: jobs.slow(longWorkMs) } as const;
  for (let at = 0; at < workers; at += 1) await client.submit("run", slow);
  const occupying = run.jobsOf("occupying");
  await run.readUntil(occupying, isAtWork, { longestMs: endMsMax });
  const purged = { role: "purged", input: jobs.quick("purged") } as const;
  await Promise.all([client.submit("run", purged), client.submit("run", purged)]);
  await client.purge();
  await run.read(run.jobsOf("purged"));
  const expired = {
    role: "expired",
    input: jobs.quick("expired"),
    policy: { ttl: ttlMs },
  } as const;
  await Promise.all([client.submit("run", expired), client.submit("run", expired)]);
  return undefined;
}

function isAtWork({ sightings }: FaultJob): boolean {
  return sightings.at(-1)?.record?.status === "IN_PROGRESS";
}

/** Jobs that are placed just before the fault, as slots beside the load. */
export function slotsBeforeFault(
  run: BookedRun<FaultRole>,
  {
    startMs,
    schedule,
    hasTimers,
  }: { readonly startMs: number; readonly schedule: FaultSchedule; readonly hasTimers: boolean },
): readonly Slot[] {
  const { first: mix, jobs } = run;
  const faultMs = startMs + schedule.faultAtMs;
  const slot = (beforeMs: number, begin: () => Promise<unknown>): Slot => ({
    atMs: faultMs - beforeMs,
    begin,
  });
  const submit = async (role: FaultRole, input: JobInput): Promise<unknown> =>
    mix.submit("run", { role, input });
  return [
    ...(hasTimers
      ? [slot(timersBeforeMs + 2_000, async () => placeTimers(run, faultMs - timersBeforeMs))]
      : []),
    ...(hasTimers ? [slot(1_200, async () => run.read(run.jobsOf("timed")))] : []),
    slot(3_000, async () => submit("called-again", jobs.quick("called again"))),
    slot(2_500, async () => submit("called-again", jobs.quick("called once more"))),
    slot(2_000, async () =>
      mix.submit("runsync", { role: "kept-before", input: jobs.quick("kept") }),
    ),
    ...(run.works
      ? [1_500, 1_000].map((beforeMs) =>
          slot(beforeMs, async () => submit("working", jobs.slow(8_000))),
        )
      : []),
  ];
}

/** Frees the workers that were kept busy, and has them work on jobs with a time-out; others wait behind these. */
async function placeTimers(run: BookedRun<FaultRole>, atMs: number): Promise<void> {
  const { second: client, jobs } = run;
  if (client === undefined) return;
  await run.read(run.jobsOf("expired"));
  const occupying = run.jobsOf("occupying");
  for (const job of occupying) await client.cancel(job);
  const areFree = await run.readUntil(occupying, isSettled, { longestMs: timersBeforeMs });
  if (!areFree) return;
  await run.pause(Math.max(0, atMs - monotonicNowMs()));
  const policy = { executionTimeout: executionTimeoutMs };
  for (let at = 0; at < occupying.length; at += 1) {
    await client.submit("run", { role: "timed", input: jobs.slow(longWorkMs), policy });
  }
  const waiting = {
    role: "waiting",
    input: jobs.quick("waiting"),
    policy: { ttl: ttlMs },
  } as const;
  await Promise.all([client.submit("run", waiting), client.submit("run", waiting)]);
}

/** The policies of the jobs whose time is looked at. */
export function placedTimers(reason: string | undefined): Placed {
  return reason === undefined ? { timers } : { timers: undefined, noTimers: reason };
}

import { monotonicNowMs } from "../../client/exchange.ts";
import type { BookedRun } from "../open-loop/booked-run.ts";
import { isSettled } from "../open-loop/job-book.ts";
import type { FaultRole } from "./observation.ts";

const endMsMax = 20_000;

/** How many quick jobs show how many the workers end in a second. */
const paceJobs = 12;

/** How many quick jobs end in a second. */
export async function endedPerSecond(run: BookedRun<FaultRole>): Promise<number> {
  const { first, jobs } = run;
  const beganMs = monotonicNowMs();
  const submitted = Array.from({ length: paceJobs }, async (_, at) =>
    first.submit("run", { role: "mix", input: jobs.quick(`pace ${at}`) }),
  );
  const placed = await Promise.all(submitted);
  // Often at first, so that quick workers are seen to be; then as seldom as limits want it.
  await run.readUntil(placed, isSettled, { longestMs: 500, everyMs: 25 });
  await run.readUntil(placed, isSettled, { longestMs: endMsMax, everyMs: 250 });
  const ended = placed.filter(isSettled).length;
  return (1_000 * ended) / (monotonicNowMs() - beganMs);
}

/** Reads jobs until all have ended, for as long as some of them do. Returns whether more would end later. */
export async function stillDraining(run: BookedRun<FaultRole>): Promise<boolean> {
  const open = (): number =>
    run.book.jobs.filter((job) => job.id !== undefined && !isSettled(job)).length;
  const giveUpMs = monotonicNowMs() + drainMsMax;
  for (;;) {
    const before = open();
    const longestMs = drainStepMs + run.jobs.graceMs;
    if (await run.readUntil(run.book.jobs, isSettled, { longestMs, everyMs: 1_000 })) return false;
    if (open() === before) return false;
    if (monotonicNowMs() > giveUpMs) return true;
  }
}

/** Together with what comes after it, looking stays within one and a half times its plan. */
const drainMsMax = 60_000;
const drainStepMs = 20_000;

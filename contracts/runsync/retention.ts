import { runAfterStall, runSync, waitForCompletion } from "../../harness/jobs/endings.ts";
import { expectKeptUntil, isFound } from "../../harness/jobs/retention.ts";
import { retryToEnd, requireRead } from "../../harness/jobs/fixtures.ts";
import { expectOutput } from "../../harness/jobs/offered-jobs.ts";
import { isOver, statusAfter } from "../../harness/jobs/job-state.ts";
import { readRecord, stateOf } from "../../harness/record.ts";
import { sendHeldRunsync, submitJobBy } from "../../harness/jobs/submit.ts";
import type { Check } from "../../harness/check.ts";
import type { FinishedJob } from "../../harness/jobs/fixtures.ts";
import type { CheckContext } from "../../harness/check-context.ts";

const minuteMs = 60_000;
/** The time that the specification states, and the longest of those it also mentions. */
const keptMs = minuteMs;
const keptMsMax = 5 * minuteMs;

/** Checks of how long the result of a runsync job is kept (SYNC-07, SYNC-08, SYNC-09). */
export const runsyncRetentionChecks: readonly Check[] = [
  {
    name: "runsync/result-kept-1-minute",
    title: "the result of a runsync job can be read until 1 minute after it completed",
    covers: ["SYNC-07"],
    needs: ["quick"],
    run: async (context) => {
      const { jobs } = context;
      const ended: (readonly [string, FinishedJob])[] = [];
      for (const { at, wait } of waitsFor(context).filter(({ wait: ms = 0 }) => ms <= 1000)) {
        ended.push([at, await runSyncWaiting(context, wait)]);
      }
      if (jobs.exact) ended.push(["a list", await runSync(context, jobs.streaming(2, 0))]);
      for (const [at, job] of ended) {
        await expectKeptUntil(context, job, keptMs, `${at}, just within 1 minute`);
      }
    },
  },
  {
    name: "runsync/result-kept-after-the-wait",
    title: "the minute of a runsync job that outlived its wait starts when the job ends",
    covers: ["SYNC-07"],
    realTimeMs: 2 * minuteMs + 10_000,
    run: async (context) => {
      const sleepMs = 65_000;
      const input = context.jobs.slow(sleepMs, "slept");
      const sleeping = await submitJobBy(context, input, { by: "runsync" });
      const job = await waitForCompletion(context, sleeping, sleepMs);
      await expectKeptUntil(context, job, keptMs, "just within 1 minute");
    },
  },
  {
    name: "runsync/result-kept-at-the-end-of-the-wait",
    title: "the result of a runsync job that ends as its wait is over can be read afterwards",
    covers: ["SYNC-07"],
    realTimeMs: 12_000,
    run: async (context) => {
      const { api, time, expect } = context;
      const wait = 2000;
      for (const workMs of [wait - 1, wait, wait + 1]) {
        const input = context.jobs.slow(workMs, "just so");
        const held = await sendHeldRunsync(context, { input }, wait);
        await time.advance(wait + 1);
        const { id } = requireRead(readRecord(await held.answer), "runsync answered");
        const seen = await time.until(async () => api.status(id), isOver, workMs);
        const at = `a job of ${workMs} ms, a wait of ${wait} ms`;
        expect.equal(stateOf(seen), "COMPLETED", at);
        const { output } = expect.record(seen, at);
        expectOutput(context, output, { input, at: `${at}, output` });
      }
    },
  },
  {
    name: "runsync/failed-record-kept-1-minute",
    title: "the record of a runsync job that failed can be read until 1 minute after it failed",
    covers: ["SYNC-07"],
    needs: ["failing", "slow"],
    slowMs: 4000,
    realTimeMs: minuteMs + 5000,
    stalls: true,
    run: async (context) => {
      // The job fails only after the wait of runsync, so that its id is known even where a failure is answered 500.
      const ended = await runAfterStall(context, async () => [
        await submitJobBy(context, context.jobs.failing("late"), { by: "runsync" }),
      ]);
      for (const job of ended) {
        await expectKeptUntil(context, job, keptMs, "just within 1 minute");
      }
    },
  },
  {
    name: "runsync/result-kept-after-a-retry",
    title:
      "a runsync job that completed on its second attempt can be read until 1 minute after that",
    covers: ["SYNC-07"],
    needs: ["failing", "slow"],
    slowMs: 4000,
    realTimeMs: minuteMs + 5000,
    stalls: true,
    run: async (context) => {
      const ended = await runAfterStall(context, async () => [
        await submitJobBy(context, context.jobs.failingFirst(1, "retried"), { by: "runsync" }),
      ]);
      for (const broken of ended) {
        const job = await retryToEnd(context, broken);
        await expectKeptUntil(context, job, keptMs, "just within 1 minute");
      }
    },
  },
  {
    name: "runsync/result-gone",
    title: "a runsync result is gone after 1 minute, or at the latest 5 minutes after completion",
    covers: ["SYNC-08"],
    needs: ["quick"],
    run: async (context) => {
      const { expect } = context;
      const job = await runSync(context, context.jobs.quick("kept"));
      if (!isFound(await statusAfter(context, job.id, job.finishedAt, keptMs))) {
        expect.reading("after 1 minute", "status just after 1 minute");
        return;
      }
      const last = await statusAfter(context, job.id, job.finishedAt, keptMsMax);
      expect.reading(
        isFound(last) ? "after more than 5 minutes" : "at some point between 1 and 5 minutes",
        "status just after 5 minutes",
      );
    },
  },
  {
    name: "runsync/wait-keeps-nothing-longer",
    title: "runsync jobs that ended together are gone together, whatever their wait was",
    covers: ["SYNC-09"],
    needs: ["quick"],
    endpoint: { workers: 3 },
    run: async (context) => {
      const { time, jobs: kinds, offers } = context;
      const used = waitsFor(context);
      // Where jobs can work side by side on a virtual clock, they end together although each has worked for a while.
      const together = kinds.exact && offers("endpoints") ? workedTogether : endedAtOnce;
      const end = time.choose({ virtual: together, real: endedAtOnce });
      const jobs = await end(context);
      for (const ageMs of agesMs(context)) {
        const found = await foundAt(context, jobs, ageMs);
        const same = found.every((one) => one === found[0]);
        context.expect.that(same, {
          at: `${ageMs} ms after completion`,
          expected: "all jobs found, or none",
          got: used
            .map(({ at }, index) => `${at}: ${found[index] === true ? "found" : "gone"}`)
            .join(", "),
        });
        if (!same || found[0] === false) return;
      }
    },
  },
];

const waits = [
  { at: "wait=1000", wait: 1000 },
  { at: "no wait", wait: undefined },
  { at: "wait=300000", wait: 300_000 },
] as const;

/** The waits within which a quick job surely ends. */
function waitsFor({ jobs }: CheckContext): readonly (typeof waits)[number][] {
  return waits.filter(({ wait }) => wait === undefined || wait > 2 * jobs.quickMs);
}

/** Quick jobs, one for each wait. */
async function endedAtOnce(context: CheckContext): Promise<readonly FinishedJob[]> {
  const jobs: FinishedJob[] = [];
  for (const { wait } of waitsFor(context)) jobs.push(await runSyncWaiting(context, wait));
  return jobs;
}

/** Jobs that were at work at the same time and ended at the same moment, one for each wait. */
async function workedTogether(context: CheckContext): Promise<readonly FinishedJob[]> {
  const { time, jobs } = context;
  const workMs = 500;
  const body = { input: jobs.slow(workMs, "kept") };
  const requests = [];
  for (const { wait } of waits) requests.push(await sendHeldRunsync(context, body, wait));
  await time.advance(workMs);
  const finishedAt = time.now();
  const ended: FinishedJob[] = [];
  for (const { answer, sentAt } of requests) {
    const record = requireRead(readRecord(await answer), "runsync answered");
    ended.push({ id: record.id, record, submittedAt: sentAt, finishedAt });
  }
  return ended;
}

async function runSyncWaiting(
  context: CheckContext,
  wait: number | undefined,
): Promise<FinishedJob> {
  return runSync(context, context.jobs.quick("kept"), wait === undefined ? {} : { wait });
}

/** Ages to read at, plus 1 ms: just before and after the minute, then every 20 s until after 5 minutes. */
function agesMs({ time }: CheckContext): readonly number[] {
  const virtual = [keptMs - 2, keptMs];
  const around = time.choose({ virtual, real: [keptMs - 2000, keptMs + 2000] });
  const later = Array.from({ length: 12 }, (_, index) => keptMs + 20_000 * (index + 1));
  return [...around, ...later];
}

/**
 * Tells for each job whether status finds it at an age. On a real clock they ended some milliseconds apart and are
 * read one after another, so where they differ all are read again after 2 s.
 */
async function foundAt(
  context: CheckContext,
  jobs: readonly FinishedJob[],
  ageMs: number,
): Promise<readonly boolean[]> {
  const { api, time } = context;
  const [first, ...others] = jobs;
  if (first === undefined) return [];
  const found = [isFound(await statusAfter(context, first.id, first.finishedAt, ageMs))];
  for (const { id } of others) found.push(isFound(await api.status(id)));
  if (found.every((one) => one === found[0])) return found;

  await time.pass(time.choose({ virtual: 0, real: 2000 }));
  const later: boolean[] = [];
  for (const { id } of jobs) later.push(isFound(await api.status(id)));
  return later;
}

/**
 * Finds out when the result of a runsync job is gone (Limits): after one minute, by five minutes, or later than that.
 * Reads status one second after each. `leftOfMinuteMs` is what is left of the first minute at the call.
 */
export async function readingOfEnd(
  { api, time }: CheckContext,
  id: string,
  leftOfMinuteMs: number,
): Promise<string> {
  const isKept = async (): Promise<boolean> => stateOf(await api.status(id)) === "COMPLETED";
  await time.pass(leftOfMinuteMs + 1000);
  const isKeptForOne = await isKept();
  await time.pass(4 * minuteMs);
  if (await isKept()) return "after more than 5 minutes";
  return isKeptForOne ? "at some point between 1 and 5 minutes" : "after 1 minute";
}

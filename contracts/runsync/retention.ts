import {
  runAfterStall,
  expectKept,
  waitForEnd,
  inputs,
  isFound,
  runSync,
  submitJobBy,
  waitForCompletion,
} from "../../harness/index.ts";
import type { Check, FinishedJob, CheckContext } from "../../harness/index.ts";

const minuteMs = 60_000;
/** The time that the specification states, and the longest of those it also mentions. */
const keptMs = minuteMs;
const keptMsMax = 5 * minuteMs;

/** Checks of how long the result of a runsync job is kept (SYNC-07, SYNC-08, SYNC-09). */
export const runsyncRetentionChecks: readonly Check[] = [
  {
    name: "runsync/result-kept-1-minute",
    title: "the result of a runsync job can be read until 1 minute after it completed",
    covers: ["SYNC-07"], // The result of a runsync job is available until 1 minute after completion.
    run: async (context) => {
      const { api, time, expect } = context;
      const plain = await runSync(context, inputs.echo("kept"));
      const shortWait = await runSync(context, inputs.echo("kept"), { wait: 1000 });
      for (const [at, job] of [
        ["no wait", plain],
        ["wait=1000", shortWait],
      ] as const) {
        const read = async () => api.status(job.id);
        const { exchange } = await time.before(job.finishedAt, keptMs, read);
        expectKept(expect, exchange, { job, at: `${at}, just within 1 minute` });
      }
    },
  },
  {
    name: "runsync/result-kept-after-the-wait",
    title: "the minute of a runsync job that outlived its wait starts when the job ends",
    covers: ["SYNC-07"], // The result of a runsync job is available until 1 minute after completion.
    realTimeMs: 2 * minuteMs + 10_000,
    run: async (context) => {
      const { api, time, expect } = context;
      const sleepMs = 65_000;
      const input = inputs.sleep(sleepMs, "slept");
      const sleeping = await submitJobBy(context, input, { by: "runsync" });
      const job = await waitForCompletion(context, sleeping, sleepMs);
      const read = async () => api.status(job.id);
      const { exchange } = await time.before(job.finishedAt, keptMs, read);
      expectKept(expect, exchange, { job, at: "just within 1 minute" });
    },
  },
  {
    name: "runsync/failed-record-kept-1-minute",
    title: "the record of a runsync job that failed can be read until 1 minute after it failed",
    covers: ["SYNC-07"], // The result of a runsync job is available until 1 minute after completion.
    realTimeMs: minuteMs + 5000,
    exclusive: true,
    run: async (context) => {
      const { api, time, expect } = context;
      // It fails only after its wait, so that its id is known even where a failure is answered with 500.
      const ended = await runAfterStall(context, async () => [
        await submitJobBy(context, inputs.fail("late"), { by: "runsync" }),
      ]);
      for (const job of ended) {
        const read = async () => api.status(job.id);
        const { exchange } = await time.before(job.finishedAt, keptMs, read);
        expectKept(expect, exchange, { job, at: "just within 1 minute" });
      }
    },
  },
  {
    name: "runsync/result-kept-after-a-retry",
    title:
      "a runsync job that completed on its second attempt can be read until 1 minute after that",
    covers: ["SYNC-07"], // The result of a runsync job is available until 1 minute after completion.
    realTimeMs: minuteMs + 5000,
    exclusive: true,
    run: async (context) => {
      const { api, time, expect } = context;
      const ended = await runAfterStall(context, async () => [
        await submitJobBy(context, inputs.flaky(1, "retried"), { by: "runsync" }),
      ]);
      for (const broken of ended) {
        const { at: submittedAt } = await time.observe(async () => api.retry(broken.id));
        const job = await waitForEnd(context, { id: broken.id, submittedAt });
        const read = async () => api.status(job.id);
        const { exchange } = await time.before(job.finishedAt, keptMs, read);
        expectKept(expect, exchange, { job, at: "just within 1 minute" });
      }
    },
  },
  {
    name: "runsync/result-gone",
    title: "a runsync result is gone after 1 minute, or at the latest 5 minutes after completion",
    covers: ["SYNC-08"], // When a runsync result is gone: the specification says 1 minute, and elsewhere up to 5.
    run: async (context) => {
      const { api, time, expect } = context;
      const job = await runSync(context, inputs.echo("kept"));
      const read = async () => api.status(job.id);
      const first = await time.after(job.finishedAt, keptMs, read);
      if (!isFound(first.exchange)) {
        expect.reading("after 1 minute", "status just after 1 minute");
        return;
      }
      const last = await time.after(job.finishedAt, keptMsMax, read);
      expect.reading(
        isFound(last.exchange)
          ? "after more than 5 minutes"
          : "at some point between 1 and 5 minutes",
        "status just after 5 minutes",
      );
    },
  },
  {
    name: "runsync/wait-keeps-nothing-longer",
    title: "runsync jobs that ended together are gone together, whatever their wait was",
    covers: ["SYNC-09"], // wait does not change how long the result is kept.
    run: async (context) => {
      const jobs: FinishedJob[] = [];
      for (const { wait } of waits) {
        jobs.push(await runSync(context, inputs.echo("kept"), wait === undefined ? {} : { wait }));
      }
      for (const ageMs of agesMs(context)) {
        const found = await foundAt(context, jobs, ageMs);
        const same = found.every((one) => one === found[0]);
        context.expect.that(same, {
          at: `${String(ageMs)} ms after completion`,
          expected: "all jobs found, or none",
          got: waits
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

/** When to look, 1 ms later: close to both sides of the minute where time is exact, then every 20 s until after 5 minutes. */
function agesMs({ time }: CheckContext): readonly number[] {
  const virtual = [keptMs - 2, keptMs];
  const around = time.choose({ virtual, real: [keptMs - 2000, keptMs + 2000] });
  const later = Array.from({ length: 12 }, (_, index) => keptMs + 20_000 * (index + 1));
  return [...around, ...later];
}

/**
 * Which of the jobs are found at an age. On a real clock they ended some milliseconds apart and are read one after
 * another, so a difference counts only where it stays.
 */
async function foundAt(
  { api, time }: CheckContext,
  jobs: readonly FinishedJob[],
  ageMs: number,
): Promise<readonly boolean[]> {
  const [first, ...others] = jobs;
  if (first === undefined) return [];
  const look = async () => api.status(first.id);
  const { exchange } = await time.after(first.finishedAt, ageMs, look);
  const found = [isFound(exchange)];
  for (const { id } of others) found.push(isFound(await api.status(id)));
  if (found.every((one) => one === found[0])) return found;

  await time.pass(time.choose({ virtual: 0, real: 2000 }));
  const later: boolean[] = [];
  for (const { id } of jobs) later.push(isFound(await api.status(id)));
  return later;
}

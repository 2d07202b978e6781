import type { Exchange } from "../../client/exchange.ts";
import {
  runToCompletion,
  runToFailure,
  submitJob,
  waitForEnd,
} from "../../harness/jobs/fixtures.ts";
import { holdSubmission } from "../../harness/jobs/held-request.ts";
import { startJob } from "../../harness/jobs/submit.ts";
import { awaitRateLimitSlot } from "../../harness/endpoint/rate-limit-slot.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import { runToFailureIfOffered } from "../../harness/jobs/offered-jobs.ts";
import { longJobMs } from "../../harness/inputs/jobs.ts";
import { stateOf } from "../../harness/record.ts";
import type { Check } from "../../harness/check.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { abortRunsync } from "./refusals.ts";
import { countsIn, expectCountGrowth, expectingCounts, readCounts } from "./counts.ts";

/** Checks of the jobs that health counts as they wait and work (HLTH-02). */
export const healthJobChecks: readonly Check[] = [
  {
    name: "health/all-seven-counts",
    title: "health answers with five job counts and two worker counts, integers of 0 or more",
    covers: ["HLTH-01"],
    run: async ({ api, expect }) => {
      expect.body(await api.health(), "HealthAnswer");
    },
  },
  {
    name: "health/all-seven-counts-at-work",
    title: "health answers with all seven counts also while jobs wait, work, end and are retried",
    covers: ["HLTH-01"],
    needs: ["quick", "slow"],
    slowMs: 5000,
    exclusive: true,
    run: async (context) => {
      const { api, workers, expect } = context;
      const look = async (at: string) => expect.body(await api.health(), "HealthAnswer", at);
      const failed = await runToFailureIfOffered(context);
      await runToCompletion(context);
      await look("after jobs have ended");
      for (const { id } of failed) await api.retry(id);
      await look("after a retry");
      const working = await startJob(context, context.jobs.slow(longJobMs));
      await look("while a job works");
      await workers.whileStalled(async () => {
        const waiting = await submitJob(context, context.jobs.quick("waits"));
        await look("while a job waits");
        await api.cancel(waiting.id);
        await api.cancel(working.id);
        await look("after jobs were cancelled");
      });
    },
  },
  {
    name: "health/jobs-waiting-and-in-progress",
    title: "inQueue and inProgress follow jobs as they wait, work, end and are cancelled",
    covers: ["HLTH-02"],
    exclusive: true,
    run: async (context) => {
      const { api, workers } = context;
      await workers.whileStalled(async () => {
        const expectGrowth = expectingCounts(context, await readCounts(context));
        const jobs: SubmittedJob[] = [];
        for (let number = 1; number <= 5; number += 1) {
          jobs.push(await submitJob(context, context.jobs.slow(longJobMs)));
          await expectGrowth({ inQueue: number, inProgress: 0 }, `${number} submitted`);
        }
        await workers.set(2);
        await expectGrowth({ inQueue: 3, inProgress: 2 }, "2 workers");

        const waiting = await inState(context, jobs, "IN_QUEUE");
        await cancelFirst(context, waiting);
        await expectGrowth({ inQueue: 2, inProgress: 2 }, "1 of the queue cancelled");
        await cancelFirst(context, await inState(context, jobs, "IN_PROGRESS"));
        await expectGrowth({ inQueue: 1, inProgress: 2 }, "1 in progress cancelled");
        await awaitRateLimitSlot(context, "purge-queue");
        await api.purgeQueue();
        await expectGrowth({ inQueue: 0, inProgress: 2 }, "the queue purged");
        for (const job of await inState(context, jobs, "IN_PROGRESS")) await api.cancel(job.id);
        await expectGrowth({ inQueue: 0, inProgress: 0 }, "all cancelled");
      });
    },
  },
  {
    name: "health/counts-jobs-of-any-kind",
    title: "inQueue and inProgress count runsync, retried and lowPriority jobs as any other",
    covers: ["HLTH-02"],
    exclusive: true,
    run: async (context) => {
      const { api, workers, expect } = context;
      const broken = await runToFailure(context);
      const { expectGrowth, held } = await workers.whileStalled(async () => {
        const expectWaiting = expectingCounts(context, await readCounts(context));
        const request = await holdSubmission(context, async (options) =>
          api.runsync({ input: context.jobs.slow(500) }, { wait: 60_000, ...options }),
        );
        await expectWaiting({ inQueue: 1, inProgress: 0 }, "a runsync job waits");
        await api.retry(broken.id);
        await expectWaiting({ inQueue: 2, inProgress: 0 }, "a retried job waits, too");
        await submitJob(context, context.jobs.quick("low"), { policy: { lowPriority: true } });
        await expectWaiting({ inQueue: 3, inProgress: 0 }, "and a lowPriority job");
        return { expectGrowth: expectWaiting, held: request };
      });
      await held.answer(expect, "runsync", 500);
      await expectGrowth({ inQueue: 0, inProgress: 0 }, "all have ended");
    },
  },
  {
    name: "health/job-in-progress-while-it-works",
    title:
      "inProgress counts jobs from their start to their end, and one that is cancelled no longer",
    covers: ["HLTH-02"],
    needs: ["slow"],
    slowMs: 3000,
    endpoint: { workers: 2 },
    realTimeMs: 4000,
    exclusive: true,
    run: async (context) => {
      const { api, time } = context;
      const base = await readCounts(context);
      const sleepMs = 2500;
      const { atLeastMs, atMostMs } = context.jobs.lengthOf(sleepMs);
      const first = await startJob(context, context.jobs.slow(sleepMs));
      const started = [first];
      if (base.idle > 1) started.push(await startJob(context, context.jobs.slow(sleepMs)));
      const look = async (): Promise<Exchange> => api.health();
      const { exchange } = await time.before(first.submittedAt, atLeastMs, look);
      const working = { inQueue: 0, inProgress: started.length };
      const at = `while ${started.length} work`;
      expectCountGrowth(context, { base, now: countsIn(exchange) }, working, at);
      for (const job of started) await waitForEnd(context, job, atLeastMs);
      const expectSoon = expectingCounts(context, base);
      const none = { inQueue: 0, inProgress: 0 };
      await expectSoon(none, "when all have ended");
      await abortRunsync(context, sleepMs);
      const stopped = await startJob(context, context.jobs.slow(sleepMs));
      await api.cancel(stopped.id);
      // A handler that cannot be stopped may be counted until it has ended, and so may a job that nobody waits for.
      await expectSoon(none, "when another one was cancelled at work", atMostMs);
    },
  },
];

/** Those of the jobs that status shows in a state. */
export async function inState(
  { api }: CheckContext,
  jobs: readonly SubmittedJob[],
  state: string,
): Promise<readonly SubmittedJob[]> {
  const states = await Promise.all(jobs.map(async ({ id }) => stateOf(await api.status(id))));
  return jobs.filter((_, at) => states[at] === state);
}

async function cancelFirst({ api }: CheckContext, [job]: readonly SubmittedJob[]): Promise<void> {
  if (job === undefined) throw new Inconclusive("none of the jobs shows the state it has to be in");
  await api.cancel(job.id);
}

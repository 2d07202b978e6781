import type { Exchange } from "../../client/index.ts";
import {
  runToCompletion,
  runToFailure,
  holdSubmission,
  startJob,
  submitJob,
  awaitRateLimitSlot,
  Inconclusive,
  waitForEnd,
  runToFailureIfOffered,
  longJobMs,
  stateOf,
} from "../../harness/index.ts";
import type { Check, SubmittedJob, CheckContext } from "../../harness/index.ts";
import { abortRunsync } from "./refusals.ts";
import { countsIn, difference, expectCounts, expectJobs, readCounts } from "./counts.ts";

/** Checks of the jobs that health counts as they wait and work (HLTH-02). */
export const healthJobChecks: readonly Check[] = [
  {
    name: "health/all-seven-counts",
    title: "health answers with five job counts and two worker counts, integers of 0 or more",
    covers: ["HLTH-01"], // health answers with the five job counts and the two worker counts, integers of 0 or more.
    run: async ({ api, expect }) => {
      expect.body(await api.health(), "HealthAnswer");
    },
  },
  {
    name: "health/all-seven-counts-at-work",
    title: "health answers with all seven counts also while jobs wait, work, end and are retried",
    covers: ["HLTH-01"], // health answers with the five job counts and the two worker counts, integers of 0 or more.
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
    covers: ["HLTH-02"], // inQueue and inProgress are the numbers of jobs waiting and being processed.
    needs: ["handler", "workers"],
    exclusive: true,
    run: async (context) => {
      const { api, workers } = context;
      await workers.whileStalled(async () => {
        const base = await readCounts(context);
        const jobs: SubmittedJob[] = [];
        for (let number = 1; number <= 5; number += 1) {
          jobs.push(await submitJob(context, context.jobs.slow(longJobMs)));
          await expectJobs(context, base, {
            inQueue: number,
            inProgress: 0,
            at: `${String(number)} submitted`,
          });
        }
        await workers.set(2);
        await expectJobs(context, base, { inQueue: 3, inProgress: 2, at: "2 workers" });

        const waiting = await inState(context, jobs, "IN_QUEUE");
        await cancelFirst(context, waiting);
        await expectJobs(context, base, {
          inQueue: 2,
          inProgress: 2,
          at: "1 of the queue cancelled",
        });
        await cancelFirst(context, await inState(context, jobs, "IN_PROGRESS"));
        await expectJobs(context, base, {
          inQueue: 1,
          inProgress: 2,
          at: "1 in progress cancelled",
        });
        await awaitRateLimitSlot(context, "purge-queue");
        await api.purgeQueue();
        await expectJobs(context, base, { inQueue: 0, inProgress: 2, at: "the queue purged" });
        for (const job of await inState(context, jobs, "IN_PROGRESS")) await api.cancel(job.id);
        await expectJobs(context, base, { inQueue: 0, inProgress: 0, at: "all cancelled" });
      });
    },
  },
  {
    name: "health/counts-jobs-of-any-kind",
    title: "inQueue and inProgress count runsync, retried and lowPriority jobs as any other",
    covers: ["HLTH-02"], // inQueue and inProgress are the numbers of jobs waiting and being processed.
    needs: ["handler", "workers"],
    exclusive: true,
    run: async (context) => {
      const { api, workers, expect } = context;
      const broken = await runToFailure(context);
      const { base, held } = await workers.whileStalled(async () => {
        const counted = await readCounts(context);
        const request = await holdSubmission(context, async (options) =>
          api.runsync({ input: context.jobs.slow(500) }, { wait: 60_000, ...options }),
        );
        await expectJobs(context, counted, {
          inQueue: 1,
          inProgress: 0,
          at: "a runsync job waits",
        });
        await api.retry(broken.id);
        await expectJobs(context, counted, {
          inQueue: 2,
          inProgress: 0,
          at: "a retried job waits, too",
        });
        await submitJob(context, context.jobs.quick("low"), { policy: { lowPriority: true } });
        await expectJobs(context, counted, {
          inQueue: 3,
          inProgress: 0,
          at: "and a lowPriority job",
        });
        return { base: counted, held: request };
      });
      await held.answer(expect, "runsync", 500);
      await expectJobs(context, base, { inQueue: 0, inProgress: 0, at: "all have ended" });
    },
  },
  {
    name: "health/job-in-progress-while-it-works",
    title:
      "inProgress counts jobs from their start to their end, and one that is cancelled no longer",
    covers: ["HLTH-02"], // inQueue and inProgress are the numbers of jobs waiting and being processed.
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
      const counts = { inQueue: 0, inProgress: started.length };
      const at = `while ${String(started.length)} work`;
      expectCounts(context, difference(countsIn(exchange), base), { ...counts, at });
      for (const job of started) await waitForEnd(context, job, atLeastMs);
      const none = { inQueue: 0, inProgress: 0 };
      await expectJobs(context, base, { ...none, at: "when all have ended" });
      await abortRunsync(context, sleepMs);
      const stopped = await startJob(context, context.jobs.slow(sleepMs));
      await api.cancel(stopped.id);
      // A handler that cannot be stopped may be counted until it has ended, and so may a job that nobody waits for.
      const cancelled = { at: "when another one was cancelled at work", withinMs: atMostMs };
      await expectJobs(context, base, { ...none, ...cancelled });
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

import {
  retryToEnd,
  runToCompletion,
  runToFailure,
  waitForEnd,
  submitJob,
  retryJob,
} from "../../harness/jobs/fixtures.ts";
import { runToEnd, startJob, submitJobBy } from "../../harness/jobs/submit.ts";
import { runToFailureIfOffered } from "../../harness/jobs/offered-jobs.ts";
import { longJobMs } from "../../harness/inputs/jobs.ts";
import type { Check } from "../../harness/check.ts";
import { readCounts, difference, expectingCounts, waitForCounts } from "./counts.ts";

/** Checks of the jobs that health counts as they end and are retried (HLTH-03, HLTH-04). */
export const healthEndingChecks: readonly Check[] = [
  {
    name: "health/counts-ended-jobs",
    title:
      "completed and failed each grow by one with a job that completes or fails, or completes after a retry",
    covers: ["HLTH-03"],
    needs: ["quick"],
    exclusive: true,
    run: async (context) => {
      const { api, jobs } = context;
      const expectGrowth = expectingCounts(context, await readCounts(context));
      let failed = 0;
      // Where no job can be made to fail, only completed is tested.
      const fail = async (): Promise<void> => {
        failed += (await runToFailureIfOffered(context)).length;
      };
      await runToCompletion(context);
      await expectGrowth({ completed: 1, failed }, "1 completed");
      await expectGrowth({ completed: 1, failed }, "health read again");
      await fail();
      await expectGrowth({ completed: 1, failed }, "1 completed, 1 failed");
      await runToCompletion(context);
      await fail();
      await fail();
      await expectGrowth({ completed: 2, failed }, "2 completed, 3 failed");
      await api.runsync({ input: jobs.quick("sync") });
      await expectGrowth({ completed: 3, failed }, "a runsync job completed");
      if (!context.offers("failing")) return;
      await api.runsync({ input: jobs.failing("sync") });
      failed += 1;
      await expectGrowth({ completed: 3, failed }, "a runsync job failed");
      if (!jobs.exact) return;
      await runToEnd(context, jobs.streaming(0, 0));
      await expectGrowth({ completed: 4, failed }, "a job with an empty output");
      if (context.lacks("retry")) return;
      const job = await runToEnd(context, jobs.failingFirst(1, "at last"));
      failed += 1;
      await expectGrowth({ completed: 4, failed }, "the first attempt of a job failed");
      await retryToEnd(context, job);
      await expectGrowth({ completed: 5 }, "its second attempt completed");
    },
  },
  {
    name: "health/counts-jobs-only-as-they-end",
    title: "completed and failed do not grow with a job that waits, works or is cancelled",
    covers: ["HLTH-03"],
    needs: ["quick", "slow"],
    slowMs: 4000,
    realTimeMs: 2000,
    exclusive: true,
    run: async (context) => {
      const { api, workers } = context;
      const expectGrowth = expectingCounts(context, await readCounts(context));
      const none = { completed: 0, failed: 0 };
      const working = await startJob(context, context.jobs.slow(longJobMs));
      await expectGrowth(none, "a job works");
      await workers.whileStalled(async () => {
        const waiting = await submitJob(context, context.jobs.quick("waits"));
        await expectGrowth(none, "a job waits");
        await api.cancel(waiting.id);
        await api.cancel(working.id);
        await expectGrowth(none, "both were cancelled");
      });
    },
  },
  {
    name: "health/counts-a-job-that-fails-again",
    title:
      "failed grows also when a job fails again after a retry, or after the wait of its runsync",
    covers: ["HLTH-03"],
    needs: ["failing", "slow"],
    slowMs: 6000,
    realTimeMs: 2000,
    exclusive: true,
    run: async (context) => {
      const job = await runToFailure(context);
      const { expectGrowth, late } = await context.workers.whileStalled(async () => {
        await retryJob(context, job);
        const input = context.jobs.failing("after the wait");
        const answered = await submitJobBy(context, input, { by: "runsync" });
        // Counted after the retry, because it is not stated whether a retry takes back the first failure.
        const base = await readCounts(context);
        return { expectGrowth: expectingCounts(context, base), late: answered };
      });
      await waitForEnd(context, job);
      await waitForEnd(context, late);
      const at = "one failed again, one after the wait of its runsync";
      await expectGrowth({ completed: 0, failed: 2 }, at);
    },
  },
  {
    name: "health/counts-retries",
    title: "retried grows by one with each retry, and with nothing else",
    covers: ["HLTH-04"],
    needs: ["quick", "failing"],
    exclusive: true,
    run: async (context) => {
      const { api, expect } = context;
      const base = await readCounts(context);
      const expectRetried = async (retried: number, at: string): Promise<void> => {
        const seen = difference(await waitForCounts(context, base, { retried }), base);
        expect.equal(seen.retried, retried, at);
      };
      const stubborn = await submitJob(context, context.jobs.failingFirst(2, "at last"));
      const done = await runToCompletion(context);
      const other = await runToFailure(context);
      await waitForEnd(context, stubborn);
      await expectRetried(0, "jobs have ended, none was retried");
      await retryToEnd(context, stubborn);
      await expectRetried(1, "a job retried");
      await retryToEnd(context, stubborn);
      await expectRetried(2, "the same job retried again");
      await retryToEnd(context, other);
      await expectRetried(3, "another job retried");
      await api.retry(done.id);
      await api.retry(`${done.id}-unknown`);
      await expectRetried(3, "retries of a completed and an unknown job refused");
    },
  },
];

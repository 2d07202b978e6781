import { runToEnd, submitOperationsOf, submitJobBy } from "../../harness/jobs/submit.ts";
import { runToCompletion, waitForEnd, submitJob, retryJob } from "../../harness/jobs/fixtures.ts";
import { expectFreeWorker } from "../../harness/jobs/job-state.ts";
import { stateOf } from "../../harness/record.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import { countQueuedJobs } from "../../harness/jobs/counts.ts";
import type { Check } from "../../harness/check.ts";
import {
  arrangeCancel,
  expectCancelled,
  expectNoResult,
  expectShownAsCancelled,
} from "./cancel-job.ts";

/** Checks of cancelling a job that waits in the queue. */
export const cancelQueuedChecks: readonly Check[] = [
  {
    name: "cancel/queued-job",
    title: "cancelling a queued job answers its id and CANCELLED, whichever operation submitted it",
    covers: ["CANC-01"],
    needs: ["quick", "slow"],
    slowMs: 4000,
    realTimeMs: 2000,
    stalls: true,
    run: async (context) => {
      await context.workers.whileStalled(async () => {
        for (const by of submitOperationsOf(context)) {
          const job = await submitJobBy(context, context.jobs.quick("never"), { by });
          await expectCancelled(context, job, `a queued job of ${by}`);
        }
      });
    },
  },
  {
    name: "cancel/queued-job-leaves-the-queue",
    title: "a cancelled job is removed from the queue at once, before any worker is free",
    covers: ["CANC-01"],
    needs: ["quick", "slow"],
    slowMs: 4000,
    exclusive: true,
    run: async (context) => {
      const { workers, expect, time } = context;
      await workers.whileStalled(async () => {
        const before = await countQueuedJobs(context);
        const job = await submitJob(context, context.jobs.quick("never"));
        const waiting = async (): Promise<number> => countQueuedJobs(context);
        const counted = await time.until(waiting, (count) => count === before + 1);
        if (counted !== before + 1) throw new Inconclusive("health did not count the queued job");
        await arrangeCancel(context, job);
        const left = await time.until(waiting, (count) => count === before);
        expect.equal(left, before, "inQueue after the cancel");
      });
    },
  },
  {
    name: "cancel/queued-job-never-processed",
    title: "a job cancelled in the queue is not processed when a worker is free",
    covers: ["CANC-01"],
    needs: ["quick", "slow"],
    slowMs: 4000,
    stalls: true,
    run: async (context) => {
      const { workers, expect, api, time } = context;
      await runToCompletion(context);
      const behind = await workers.whileStalled(async () => {
        // If this job ran, it would keep the one worker busy, so that no other job could complete.
        const job = await submitJob(context, context.jobs.slow(3_600_000));
        const next = await submitJob(context, context.jobs.quick("behind"));
        await arrangeCancel(context, job);
        return next;
      });
      const seen = await time.until(
        async () => api.status(behind.id),
        (exchange) => stateOf(exchange) === "COMPLETED",
      );
      expect.equal(stateOf(seen), "COMPLETED", "the job behind it, once a worker is free");
      await expectFreeWorker(context, "a job submitted after that");
    },
  },
  {
    name: "cancel/queued-job-between-others",
    title: "cancelling jobs in the middle and at the end of the queue takes those and no other",
    covers: ["CANC-01"],
    needs: ["quick", "slow"],
    slowMs: 4000,
    stalls: true,
    run: async (context) => {
      const { workers, expect } = context;
      await runToCompletion(context);
      const jobs = await workers.whileStalled(async () => {
        const waiting = [];
        for (const number of [0, 1, 2, 3, 4]) {
          const job = await submitJob(context, context.jobs.quick(number));
          waiting.push({
            job,
            toCancel: number === 2 || number === 4,
            at: `job ${number} of 5`,
          });
        }
        for (const { job, at } of waiting.filter(({ toCancel }) => toCancel)) {
          await expectCancelled(context, job, at);
        }
        return waiting;
      });
      for (const { job, at } of jobs.filter(({ toCancel }) => !toCancel)) {
        const { record } = await waitForEnd(context, job);
        expect.equal(record.status, "COMPLETED", `${at}, when others were cancelled`);
      }
      for (const { job, at } of jobs.filter(({ toCancel }) => toCancel)) {
        await expectNoResult(context, job, `${at}, cancelled, when the others are done`);
      }
    },
  },
  {
    name: "cancel/retried-job-in-the-queue",
    title: "a job that waits for its second attempt is cancelled like any other",
    covers: ["CANC-01"],
    needs: ["quick", "slow", "failing"],
    slowMs: 4000,
    stalls: true,
    run: async (context) => {
      const { workers } = context;
      const job = await runToEnd(context, context.jobs.failingFirst(1, "second"));
      await workers.whileStalled(async () => {
        await retryJob(context, job);
        await expectCancelled(context, job, "a retried job in the queue");
      });
      await expectFreeWorker(context, "a job submitted after that");
      await expectNoResult(context, job, "a retried job cancelled in the queue");
    },
  },
  {
    name: "cancel/status-of-a-job-cancelled-in-the-queue",
    title: "status shows a job cancelled in the queue as CANCELLED without output, and goes on so",
    covers: ["CANC-04"],
    needs: ["quick", "slow"],
    slowMs: 4000,
    realTimeMs: 5000,
    stalls: true,
    run: async (context) => {
      const { workers, time } = context;
      const jobs = await workers.whileStalled(async () => {
        const cancelled = [];
        for (const by of submitOperationsOf(context)) {
          const queued = await submitJobBy(context, context.jobs.quick("never"), { by });
          const at = `a queued job of ${by}`;
          await arrangeCancel(context, queued);
          await expectShownAsCancelled(context, queued, `${at}, right after the cancel`);
          await expectShownAsCancelled(context, queued, `${at}, read again`);
          cancelled.push({ ...queued, at });
        }
        return cancelled;
      });
      for (const job of jobs) {
        await expectShownAsCancelled(context, job, `${job.at}, once a worker is free`);
      }
      await time.pass(1000);
      for (const job of jobs) {
        await expectShownAsCancelled(context, job, `${job.at}, a second later`);
      }
    },
  },
  {
    name: "cancel/status-of-a-retried-job-cancelled",
    title: "status shows a job cancelled on its second attempt as CANCELLED without output",
    covers: ["CANC-04"],
    needs: ["slow", "failing"],
    slowMs: 4000,
    stalls: true,
    run: async (context) => {
      const { workers } = context;
      const at = "a retried job cancelled in the queue";
      const job = await runToEnd(context, context.jobs.failingFirst(1, "second"));
      await workers.whileStalled(async () => {
        await retryJob(context, job);
        await arrangeCancel(context, job);
        await expectShownAsCancelled(context, job, at);
      });
      await expectShownAsCancelled(context, job, `${at}, once a worker is free`);
    },
  },
];

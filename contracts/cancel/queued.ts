import {
  arranged,
  completed,
  expectFreeWorker,
  finished,
  inputs,
  readRecord,
  stateOf,
  submitOperations,
  submitted,
  submittedBy,
  Undecided,
  waitingJobs,
} from "../../harness/index.ts";
import type { Check } from "../../harness/index.ts";
import { arrangeCancel, expectCancelled, expectNoResult, expectShown } from "./kit.ts";

/** Checks of cancelling a job that waits in the queue. */
export const cancelQueuedChecks: readonly Check[] = [
  {
    name: "cancel/queued-job",
    title: "cancelling a queued job answers its id and CANCELLED, whichever operation submitted it",
    covers: ["CANC-01"],
    needs: ["handler"],
    realTimeMs: 2000,
    exclusive: true,
    run: async (tools) => {
      await tools.workers.stall();
      for (const by of submitOperations) {
        const job = await submittedBy(tools, inputs.echo("never"), { by });
        await expectCancelled(tools, job, `a queued job of ${by}`);
      }
      await tools.workers.resume();
    },
  },
  {
    name: "cancel/queued-job-leaves-the-queue",
    title: "a cancelled job is removed from the queue at once, before any worker is free",
    covers: ["CANC-01"],
    needs: ["handler"],
    exclusive: true,
    run: async (tools) => {
      const { workers, expect, time } = tools;
      await workers.stall();
      const before = await waitingJobs(tools);
      const job = await submitted(tools, inputs.echo("never"));
      const waiting = async (): Promise<number> => waitingJobs(tools);
      const counted = await time.until(waiting, (count) => count === before + 1);
      if (counted !== before + 1) throw new Undecided("health did not count the queued job");
      await arrangeCancel(tools, job);
      expect.equal(
        await time.until(waiting, (count) => count === before),
        before,
        "inQueue after the cancel",
      );
      await workers.resume();
    },
  },
  {
    name: "cancel/queued-job-never-processed",
    title: "a job cancelled in the queue is not processed when a worker is free",
    covers: ["CANC-01"],
    exclusive: true,
    run: async (tools) => {
      const { workers, expect, api, time } = tools;
      await completed(tools);
      await workers.stall();
      // It would keep the one worker busy, so that no other job could complete.
      const job = await submitted(tools, inputs.sleep(3_600_000));
      const behind = await submitted(tools, inputs.echo("behind"));
      await arrangeCancel(tools, job);
      await workers.set(1);
      const seen = await time.until(
        async () => api.status(behind.id),
        (exchange) => stateOf(exchange) === "COMPLETED",
      );
      expect.equal(stateOf(seen), "COMPLETED", "the job behind it, once a worker is free");
      await expectFreeWorker(tools, "a job submitted after that");
    },
  },
  {
    name: "cancel/queued-job-between-others",
    title: "cancelling jobs in the middle and at the end of the queue takes those and no other",
    covers: ["CANC-01"],
    needs: ["handler"],
    exclusive: true,
    run: async (tools) => {
      const { workers, expect } = tools;
      await completed(tools);
      await workers.stall();
      const jobs = [];
      for (const number of [0, 1, 2, 3, 4]) {
        const job = await submitted(tools, inputs.echo(number));
        jobs.push({
          job,
          toCancel: number === 2 || number === 4,
          at: `job ${String(number)} of 5`,
        });
      }
      for (const { job, at } of jobs.filter(({ toCancel }) => toCancel)) {
        await expectCancelled(tools, job, at);
      }
      await workers.resume();
      for (const { job, at } of jobs.filter(({ toCancel }) => !toCancel)) {
        const { record } = await finished(tools, job);
        expect.equal(record.status, "COMPLETED", `${at}, when others were cancelled`);
      }
      for (const { job, at } of jobs.filter(({ toCancel }) => toCancel)) {
        await expectNoResult(tools, job, `${at}, cancelled, when the others are done`);
      }
    },
  },
  {
    name: "cancel/retried-job-in-the-queue",
    title: "a job that waits for its second attempt is cancelled like any other",
    covers: ["CANC-01"],
    needs: ["handler"],
    exclusive: true,
    run: async (tools) => {
      const { workers, api } = tools;
      const job = await finished(tools, await submitted(tools, inputs.flaky(1, "second")));
      await workers.stall();
      arranged(readRecord(await api.retry(job.id)), "a job had to be retried, but retry gave");
      await expectCancelled(tools, job, "a retried job in the queue");
      await workers.resume();
      await expectFreeWorker(tools, "a job submitted after that");
      await expectNoResult(tools, job, "a retried job cancelled in the queue");
    },
  },
  {
    name: "cancel/status-of-a-job-cancelled-in-the-queue",
    title: "status shows a job cancelled in the queue as CANCELLED without output, and goes on so",
    covers: ["CANC-04"],
    realTimeMs: 5000,
    exclusive: true,
    run: async (tools) => {
      const { workers, time } = tools;
      for (const by of submitOperations) {
        await workers.stall();
        const job = await submittedBy(tools, inputs.echo("never"), { by });
        await arrangeCancel(tools, job);
        await expectShown(tools, job, `a queued job of ${by}, right after the cancel`);
        await expectShown(tools, job, `a queued job of ${by}, read again`);
        await workers.resume();
        await expectShown(tools, job, `a queued job of ${by}, once a worker is free`);
        await time.pass(1000);
        await expectShown(tools, job, `a queued job of ${by}, a second later`);
      }
    },
  },
  {
    name: "cancel/status-of-a-retried-job-cancelled",
    title: "status shows a job cancelled on its second attempt as CANCELLED without output",
    covers: ["CANC-04"],
    exclusive: true,
    run: async (tools) => {
      const { workers, api } = tools;
      const job = await finished(tools, await submitted(tools, inputs.flaky(1, "second")));
      await workers.stall();
      arranged(readRecord(await api.retry(job.id)), "a job had to be retried, but retry gave");
      await arrangeCancel(tools, job);
      await expectShown(tools, job, "a retried job cancelled in the queue");
      await workers.resume();
      await expectShown(tools, job, "a retried job cancelled in the queue, once a worker is free");
    },
  },
];

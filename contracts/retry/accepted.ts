import { waitForEnd, submitJob, retryJob } from "../../harness/jobs/fixtures.ts";
import {
  waitUntilOverAfter,
  waitUntilOverWithin,
  statusBefore,
  expectCompletion,
} from "../../harness/jobs/job-state.ts";
import { stateOf } from "../../harness/record.ts";
import { submitOperations, submitOperationsOf } from "../../harness/jobs/submit.ts";
import { expectOutput } from "../../harness/jobs/offered-jobs.ts";
import { shortestTimeoutMs } from "../../harness/inputs/conformance-jobs.ts";
import { runToTimeout } from "../../harness/jobs/endings.ts";
import { retentionMs } from "../../harness/jobs/retention.ts";
import type { Check } from "../../harness/check.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { expectRetried, expectRetriedBy, runToFailureBy } from "./endings.ts";

/** Checks of a retry that is allowed (docs/specification.md#retry). */
export const acceptedRetryChecks: readonly Check[] = [
  {
    name: "retry/failed-job",
    title: "retry of a job that failed answers with its id and IN_QUEUE, each time it failed",
    covers: ["RETR-01"],
    needs: ["failing"],
    run: async (context) => {
      for (const by of submitOperationsOf(context)) {
        const job = await runToFailureBy(context, context.jobs.failing("each time"), { by });
        for (const time of ["first", "second", "third"]) {
          await expectRetried(context, job, `${time} retry of a FAILED ${by} job`);
          await waitForEnd(context, job);
        }
      }
    },
  },
  {
    name: "retry/failed-job-waits",
    title:
      "a failed job that is retried while no worker is free is IN_QUEUE, and processed when one is",
    covers: ["RETR-01"],
    needs: ["failing", "slow"],
    slowMs: 4000,
    stalls: true,
    run: async (context) => {
      const { api, time, workers, expect } = context;
      const job = await runToFailureBy(context, context.jobs.failingFirst(1, "later"));
      await workers.whileStalled(async () => {
        await expectRetried(context, job, "retry of a FAILED job, no worker free");
        await time.settle();
        const state = stateOf(await api.status(job.id));
        expect.equal(state, "IN_QUEUE", "status while no worker is free");
      });
      const seen = await waitUntilOverWithin(context, job.id);
      expect.equal(stateOf(seen), context.jobs.endAfterRetry, "status after a worker took it");
    },
  },
  ...submitOperations.map((by) => retriesTimedOut(by)),
  {
    name: "retry/timed-out-job-until-its-retention-ends",
    title: "a job that timed out can be retried until its retention ends",
    covers: ["RETR-02"],
    needs: ["slow"],
    slowMs: 6000,
    realTimeMs: 1_810_000,
    run: async (context) => {
      const { api, time } = context;
      const job = await runToTimeout(context);
      const retry = async () => api.retry(job.id);
      const { exchange } = await time.before(job.finishedAt, retentionMs.run, retry, {
        changes: true,
      });
      expectRetriedBy(exchange, context, job, "retry just before its retention ends");
      await api.cancel(job.id);
    },
  },
  {
    name: "retry/runs-again-with-its-input",
    title: "a retried job runs again, once for each retry, with the input it was submitted with",
    covers: ["RETR-03"],
    needs: ["failing"],
    run: async (context) => {
      const { api, jobs, expect } = context;
      const value = {
        text: 'ä漢 "quoted"',
        nested: [1, null, { deep: [true, 2.5] }],
        empty: {},
        none: null,
      };
      for (const by of submitOperationsOf(context)) {
        const input = jobs.failingFirst(2, value);
        const job = await runToFailureBy(context, input, { by });
        const second = await rerun(context, job);
        expect.equal(second, "FAILED", `${by}, the second attempt of one that fails twice`);
        const third = await rerun(context, job);
        expect.equal(third, jobs.endAfterRetry, `${by}, the third attempt`);
        if (third !== "COMPLETED") continue;
        const { output } = expect.record(await api.status(job.id), `${by}, the third attempt`);
        expectOutput(context, output, { input, at: `${by}, output of the third attempt` });
      }
    },
  },
  {
    name: "retry/jobs-keep-their-own-input",
    title: "jobs that are retried together, beside new ones, each run with their own input",
    covers: ["RETR-03"],
    stalls: true,
    run: async (context) => {
      const { workers, expect } = context;
      const jobs: { readonly value: string; readonly job: SubmittedJob }[] = [];
      for (const value of ["one", "two", "three"]) {
        const job = await runToFailureBy(context, context.jobs.failingFirst(1, value));
        jobs.push({ value, job });
      }
      const fresh = await workers.whileStalled(async () => {
        const submitted = await submitJob(context, context.jobs.quick("new"));
        for (const { job } of jobs.toReversed()) await retryJob(context, job);
        return submitted;
      });
      await waitForEnd(context, fresh);
      for (const { job, value } of jobs) {
        const over = await waitUntilOverWithin(context, job.id);
        const { output } = expect.record(over, "a retried job");
        expect.equal(output, { value, attempt: 2 }, `output of the job of "${value}"`);
      }
    },
  },
  {
    name: "retry/timed-out-job-runs-again",
    title: "a retried TIMED_OUT job is processed again from its beginning",
    covers: ["RETR-03"],
    needs: ["slow"],
    slowMs: 6000,
    realTimeMs: 14_000,
    run: async (context) => {
      const { api, time, expect } = context;
      const job = await runToTimeout(context, context.jobs.slowYielding(3, 2000));
      await retryJob(context, job);
      const { at: since } = await time.observe(async () => api.status(job.id));
      const seen = await time.until(
        async () => api.status(job.id),
        (exchange) => stateOf(exchange) === "IN_PROGRESS",
      );
      expect.equal(stateOf(seen), "IN_PROGRESS", "status after the retry");
      const late = await waitUntilOverAfter(context, job.id, { since, ageMs: shortestTimeoutMs });
      expect.equal(stateOf(late), "TIMED_OUT", "status after 5000 ms of the same work");
    },
  },
  {
    name: "retry/outlives-the-first-retention",
    title: "a retried job is not deleted when the retention of its first attempt would have ended",
    covers: ["RETR-03"],
    needs: ["handler", "workers", "clock"],
    run: async (context) => {
      const { api, time, workers, expect } = context;
      for (const by of submitOperationsOf(context)) {
        const job = await runToFailureBy(context, context.jobs.failingFirst(1, "kept"), { by });
        await statusBefore(context, job.id, job.finishedAt, retentionMs[by]);
        await workers.whileStalled(async () => {
          await retryJob(context, job);
          await time.pass(300_000);
          expect.equal(stateOf(await api.status(job.id)), "IN_QUEUE", `${by}, past the retention`);
        });
        await expectCompletion(context, job, `${by}, after a worker took it`);
      }
    },
  },
];

function retriesTimedOut(by: SubmitOperation): Check {
  return {
    name: `retry/timed-out-${by}-job`,
    title: `retry of a ${by} job that timed out answers with its id and IN_QUEUE, each time it did`,
    covers: ["RETR-02"],
    needs: ["slow"],
    slowMs: 6000,
    realTimeMs: 15_000,
    run: async (context) => {
      const job = await runToTimeout(context, context.jobs.slow(60_000), by);
      await expectRetried(context, job, `retry of a TIMED_OUT ${by} job`);
      // Each time-out takes 5 s: on a real clock only the job of run is timed out twice.
      const isSeenAgain = context.time.choose({ virtual: true, real: by === "run" });
      if (isSeenAgain && (await waitForEnd(context, job, 5001)).record.status === "TIMED_OUT") {
        await expectRetried(context, job, `second retry of a TIMED_OUT ${by} job`);
      }
      await context.api.cancel(job.id);
    },
  };
}

/** Retries a job and gives the state in which it ends. */
async function rerun(context: CheckContext, job: SubmittedJob): Promise<string> {
  await retryJob(context, job);
  return stateOf(await waitUntilOverWithin(context, job.id));
}

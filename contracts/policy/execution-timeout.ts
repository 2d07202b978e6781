import {
  expectCompleted,
  expectFreeWorker,
  waitUntilOverAfter,
  waitUntilOverWithin,
  statusAfter,
} from "../../harness/jobs/job-state.ts";
import { waitForEnd, submitJob } from "../../harness/jobs/fixtures.ts";
import { inputs } from "../../harness/inputs/conformance-jobs.ts";
import {
  startJob,
  submitOperations,
  submitOperationsOf,
  submitJobBy,
} from "../../harness/jobs/submit.ts";
import { stateOf } from "../../harness/record.ts";
import { workedMsOf } from "../../harness/jobs/retention.ts";
import type { Submission } from "../../harness/jobs/submit.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import type { Check } from "../../harness/check.ts";
import { expectTimeout } from "../endings.ts";

/** How long a job may work that has no executionTimeout (POLI-05). */
export const defaultMs = 600_000;
const sevenDaysMs = 604_800_000;

/** Checks of how long a job may be processed (POLI-04 to POLI-07). */
export const executionTimeoutChecks: readonly Check[] = [
  {
    name: "policy/execution-timeout-ends-a-job",
    title: "a job that runs past its executionTimeout becomes TIMED_OUT and frees its worker",
    covers: ["POLI-04"],
    needs: ["quick", "slow"],
    slowMs: 7000,
    realTimeMs: 24_000,
    run: async (context) => {
      const { time, expect } = context;
      const workMs = time.choose({ virtual: 5001, real: 8000 });
      for (const by of submitOperationsOf(context)) {
        const input = context.jobs.slow(workMs, "too late");
        const job = await startJob(context, input, { ...withTimeout(5000), by });
        const since = job.startedAt;
        const seen = await waitUntilOverAfter(context, job.id, { since, ageMs: 5000 });
        expect.equal(stateOf(seen), "TIMED_OUT", "status after 5000 ms of processing");

        await expectFreeWorker(context, "a quick job after the time-out");
        const workedMs = workedMsOf(context, workMs, by);
        const later = await statusAfter(context, job.id, since, workedMs);
        expect.equal(stateOf(later), "TIMED_OUT", "status when its work would have ended");
      }
    },
  },
  {
    name: "policy/execution-timeout-spares-a-job",
    title: "a job that ends within its executionTimeout completes",
    covers: ["POLI-04"],
    realTimeMs: 12_000,
    run: async (context) => {
      for (const by of submitOperationsOf(context)) {
        const workMs = context.time.choose({ virtual: 4999, real: 3000 });
        const input = context.jobs.slow(workMs, "in time");
        const job = await startJob(context, input, { ...withTimeout(5000), by });
        const since = job.startedAt;
        const seen = await waitUntilOverAfter(context, job.id, { since, ageMs: workMs - 1 });
        const at = `status after ${workMs} ms of work`;
        expectCompleted(context, stateOf(seen), { since, limitMs: 5000, at });
      }
    },
  },
  ...submitOperations.map((operation) => defaultTimeout(operation)),
  {
    name: "policy/execution-timeout-is-for-one-job",
    title: "an executionTimeout ends its own job and no job that runs beside it or after it",
    covers: ["POLI-06"],
    needs: ["slow"],
    slowMs: 6000,
    realTimeMs: 20_000,
    endpoint: { workers: 3 },
    run: async (context) => {
      const { api, time, expect } = context;
      const workMs = time.choose({ virtual: 60_000, real: 6500 });
      const before = await submitJob(context, context.jobs.slow(workMs, "before"));
      const limited = await submitJobBy(context, context.jobs.slow(workMs), withTimeout(5000));
      // Three jobs at work at once would leave no worker to the checks that share the endpoint.
      await time.pass(time.choose({ virtual: 1, real: 5500 }));
      const after = await submitJob(context, context.jobs.slow(workMs, "after"));

      for (const job of [before, after]) {
        // Where fewer workers are free, a job starts only when another has ended.
        const { record } = await waitForEnd(context, job, 3 * workMs);
        expect.equal(record.status, "COMPLETED", "a job without executionTimeout");
      }
      expect.equal(stateOf(await api.status(limited.id)), "TIMED_OUT", "the job with 5000 ms");
    },
  },
  {
    name: "policy/execution-timeout-beats-the-endpoint-default",
    title:
      "a job's own executionTimeout, shorter or longer, takes the place of the endpoint's default",
    covers: ["POLI-06"],
    needs: ["handler", "endpoints"],
    realTimeMs: 70_000,
    endpoint: { workers: 4, executionTimeoutMs: 20_000 },
    run: async (context) => {
      const input = context.jobs.slow(120_000);
      const shorter = await startJob(context, input, withTimeout(5000));
      const none = await startJob(context, input);
      const longer = await startJob(context, input, withTimeout(30_000));
      await expectTimeout(context, shorter, 5000, "5000 ms");
      await expectTimeout(context, none, 20_000, "the endpoint's default");
      await expectTimeout(context, longer, 30_000, "30000 ms");

      // The timeout of one job must not have become the endpoint's default.
      const next = await startJob(context, input);
      await expectTimeout(context, next, 20_000, "the endpoint's default, afterwards");
    },
  },
  {
    name: "policy/execution-timeout-lengthened",
    title: "an executionTimeout above the default lets a job run that long, up to 7 days",
    covers: ["POLI-06"],
    needs: ["handler", "clock"],
    endpoint: { workers: 2 },
    run: async (context) => {
      const longest = { policy: { executionTimeout: sevenDaysMs, ttl: sevenDaysMs } };
      const week = await submitJob(context, context.jobs.slow(sevenDaysMs - 1, "a week"), longest);
      const job = await startJob(context, context.jobs.slow(1_000_000), withTimeout(900_000));
      await expectTimeout(context, job, 900_000, "900000 ms");

      const since = week.submittedAt;
      const seen = await waitUntilOverAfter(context, week.id, { since, ageMs: sevenDaysMs - 2 });
      context.expect.equal(stateOf(seen), "COMPLETED", "a job of 7 days less 1 ms");
    },
  },
  {
    name: "policy/execution-timeout-ends-a-streaming-job",
    title: "a job that still yields chunks when its executionTimeout is over becomes TIMED_OUT",
    covers: ["POLI-04"],
    realTimeMs: 14_000,
    run: async (context) => {
      const numbers = context.jobs.streaming(20, 700);
      const text = inputs.text(200, 20, 700);
      for (const input of context.time.choose({ virtual: [numbers, text], real: [text] })) {
        const job = await startJob(context, input, withTimeout(5000));
        const since = job.startedAt;
        const seen = await waitUntilOverAfter(context, job.id, { since, ageMs: 5000 });
        const at = `${String(input["op"])}, after 5000 ms of processing`;
        context.expect.equal(stateOf(seen), "TIMED_OUT", at);
        await context.api.cancel(job.id);
      }
    },
  },
  {
    name: "policy/execution-timeouts-each-free-the-worker",
    title: "one job after another runs past its executionTimeout, and each leaves the worker free",
    covers: ["POLI-04"],
    needs: ["quick", "slow", "endpoints"],
    slowMs: 6000,
    realTimeMs: 20_000,
    run: async (context) => {
      const jobs = [];
      for (let count = 0; count < 3; count += 1) {
        jobs.push(await submitJobBy(context, context.jobs.slow(60_000), withTimeout(5000)));
      }
      const withinMs = jobs.length * (5000 + context.time.marginMs);
      for (const { id } of jobs) {
        const state = stateOf(await waitUntilOverWithin(context, id, withinMs));
        context.expect.equal(state, "TIMED_OUT", "each of three jobs on one worker");
      }
      await expectFreeWorker(context, "an echo job after three time-outs");
    },
  },
];

/** A submission with this executionTimeout, in milliseconds, and no other option. */
export function withTimeout(executionTimeout: number): Submission {
  return { extra: { policy: { executionTimeout } } };
}

function defaultTimeout(operation: SubmitOperation): Check {
  return {
    name: `policy/default-execution-timeout-of-${operation}`,
    title: `a ${operation} job without executionTimeout is terminated after 600000 ms of processing, and not before`,
    covers: ["POLI-05"],
    needs: ["handler"],
    run: async (context) => {
      const job = await startJob(context, context.jobs.slow(2 * defaultMs), { by: operation });
      await expectTimeout(context, job, defaultMs, "600000 ms");
    },
  };
}

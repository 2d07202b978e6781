import { expectKept, retentionMs, retentionMsMax } from "../../harness/jobs/retention.ts";
import {
  waitUntilOverAfter,
  statusAfter,
  statusBefore,
  expectNot,
  unfinishedOrCompleted,
} from "../../harness/jobs/job-state.ts";
import { retryJob, runToCompletion, submitJob, waitForEnd } from "../../harness/jobs/fixtures.ts";
import { startJob, submitJobBy } from "../../harness/jobs/submit.ts";
import { stateOf } from "../../harness/record.ts";
import { runToTimeout } from "../../harness/jobs/endings.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { FinishedJob } from "../../harness/jobs/fixtures.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { endAgain, runToFailureBy } from "../retry/endings.ts";
import { s3ConfigOf } from "../s3/config.ts";
import { webhookFor } from "../webhook/calls.ts";
import { defaultMs, withTimeout } from "./execution-timeout.ts";
import type { StartedJob } from "../../harness/jobs/submit.ts";
import { expectAtWork, expectTimedOut, expectTimeout } from "../endings.ts";

/** Work that ends by itself only after everything that a check looks at. */
const longMs = 200_000;
const needs = ["handler", "workers", "endpoints", "clock"] as const;

/** Checks that what ends one job at its time neither ends another job nor spares it. */
export const sideBySideChecks: readonly Check[] = [
  {
    name: "policy/each-job-ends-at-its-own-time",
    title:
      "jobs at work beside each other end by their own executionTimeout and ttl, to the millisecond",
    covers: ["POLI-04", "POLI-09"],
    needs,
    endpoint: { workers: 5 },
    run: async (context) => {
      const input = context.jobs.slow(longMs);
      // Its runsync is answered while it waits in the queue.
      const queued = await context.workers.whileStalled(async () =>
        submitJobBy(context, input, { ...withTimeout(40_000), by: "runsync" }),
      );
      const late = { ...queued, startedAt: context.time.now() };
      const long = await startJob(context, input, withTimeout(60_000));
      const short = await startJob(context, input, withTimeout(7500));
      const extra = { policy: { ttl: 12_500 } };
      const pair = [
        await startJob(context, input, { extra }),
        await startJob(context, input, { extra }),
      ];
      await expectTimeout(of("POLI-04", context), short, 7500, "7500 ms");
      for (const job of pair) await expectAtWork(of("POLI-09", context), job, 12_500, "12500 ms");
      for (const job of pair) await expectExpired(context, job, 12_500);
      await expectTimeout(of("POLI-04", context), late, 40_000, "40000 ms");
      await expectTimeout(of("POLI-04", context), long, 60_000, "60000 ms");
    },
  },
  {
    name: "policy/execution-timeout-ends-with-its-job",
    title: "the executionTimeout of a job that has ended does not end the next job of its worker",
    covers: ["POLI-06"],
    needs,
    endpoint: { workers: 1 },
    run: async (context) => {
      const { api, time, jobs, expect } = context;
      for (const how of ["completed", "was cancelled", "expired"]) {
        const policy = { executionTimeout: 20_000, ...(how === "expired" && { ttl: 10_000 }) };
        const workMs = how === "completed" ? 1000 : 12_000;
        const first = await startJob(context, jobs.slow(workMs), { extra: { policy } });
        if (how === "was cancelled") await api.cancel(first.id);
        // The handler of an expired job may go on to its end.
        await time.pass(workMs + 1);
        const next = await startJob(context, jobs.slow(30_000, "next"), withTimeout(60_000));
        const { record } = await waitForEnd(context, next, 30_000);
        expect.equal(record.status, "COMPLETED", `the job after one that ${how}`);
      }
    },
  },
  {
    name: "policy/endpoint-default-for-each-job",
    title: "the endpoint's default ends jobs of runsync, with other policies, and retried ones",
    covers: ["POLI-06"],
    needs,
    endpoint: { workers: 3, executionTimeoutMs: 20_000 },
    run: async (context) => {
      const input = context.jobs.slow(longMs);
      const jobs = [];
      for (const policy of [{ ttl: 7_200_000 }, { lowPriority: true }]) {
        jobs.push(await startJob(context, input, { extra: { policy } }));
      }
      // The last one, because its submission takes a wait.
      const last = await startJob(context, input, { by: "runsync" });
      jobs.push(last);
      for (const job of jobs) await expectAtWork(context, job, 20_000, "20000 ms");
      for (const job of jobs) await expectTimedOut(context, job, 20_000, "20000 ms");
      const startedAt = context.time.now();
      await retryJob(context, last);
      await expectTimeout(context, { ...last, startedAt }, 20_000, "20000 ms, retried");
    },
  },
  {
    name: "policy/default-execution-timeout-of-a-partial-policy",
    title:
      "neither a policy without executionTimeout nor other options change the default of 600000 ms",
    covers: ["POLI-05"],
    needs: ["handler", "clock"],
    run: async (context) => {
      const input = context.jobs.slow(2 * defaultMs);
      for (const policy of [
        {},
        { lowPriority: false },
        { lowPriority: true },
        { ttl: 3_600_000 },
      ]) {
        const job = await startJob(context, input, { extra: { policy } });
        await expectTimeout(context, job, defaultMs, "600000 ms");
        if (policy.lowPriority !== false) continue;
        const startedAt = context.time.now();
        await retryJob(context, job);
        await expectTimeout(context, { ...job, startedAt }, defaultMs, "600000 ms, retried");
      }
      const extra = { ...(await webhookFor(context)), s3Config: s3ConfigOf(context.random) };
      const job = await startJob(context, input, { extra });
      await expectTimeout(context, job, defaultMs, "600000 ms");
    },
  },
  {
    name: "purge/leaves-the-times-of-other-jobs",
    title: "jobs at work or finished end, are retried and are deleted after a purge as without it",
    covers: ["POLI-04", "POLI-09", "RETR-03", "RUNA-05"],
    needs,
    purges: 1,
    endpoint: { workers: 3 },
    run: async (context) => {
      const { api, time, endpoint, expect } = context;
      const input = context.jobs.slow(longMs);
      const timed = await startJob(context, input, withTimeout(20_000));
      const old = await startJob(context, input, { extra: { policy: { ttl: 30_000 } } });
      const done = await runToCompletion(context);
      await endpoint.purge();
      await expectTimeout(of("POLI-04", context), timed, 20_000, "20000 ms");
      await expectExpired(context, old, 30_000);
      await retryJob(context, timed);
      await time.settle();
      const state = stateOf(await api.status(timed.id));
      expect.of("RETR-03").equal(state, "IN_PROGRESS", "a job that was at work, then retried");
      const exchange = await statusAfter(context, done.id, done.finishedAt, retentionMs.run);
      expect.of("RUNA-05").refused(exchange, "30 minutes after its end, a purge between");
    },
  },
  {
    name: "status/ttl-ends-with-the-job",
    title:
      "a job that ends before the ttl that status gave it is kept as any other, however it ended",
    covers: ["RUNA-04"],
    needs,
    endpoint: { workers: 0 },
    run: async (context) => {
      const { api, time, workers, expect, jobs } = context;
      const ttl = 10_000;
      const waiting = [
        await submitJob(context, jobs.quick("kept")),
        await submitJob(context, jobs.failing("kept")),
        await submitJob(context, jobs.slow(longMs), { policy: { executionTimeout: 5000 } }),
      ];
      for (const { id } of waiting) await api.status(id, { ttl });
      await workers.set(3);
      const ended: FinishedJob[] = [];
      for (const job of waiting) ended.push(await waitForEnd(context, job, 5000));
      await time.pass(2 * ttl);
      for (const job of ended) {
        const at = `${job.record.status}, past a ttl of ${ttl}`;
        expectKept(expect, await api.status(job.id), { job, at });
      }
    },
  },
  {
    name: "retry/retention-of-each-last-ending",
    title: "jobs that ended anew after a retry are kept as long as others, and no longer",
    covers: ["RUNA-04", "RUNA-05"],
    needs,
    run: async (context) => {
      const { time, expect, jobs } = context;
      const first = [
        await runToTimeout(context),
        await runToFailureBy(context, jobs.failingFirst(1, "done")),
        await runToFailureBy(context, jobs.failing("twice")),
      ];
      await time.pass(60_000);
      const ended: FinishedJob[] = [];
      for (const job of first) ended.push(await endAgain(context, job));
      for (const job of ended) {
        const exchange = await statusBefore(context, job.id, job.finishedAt, retentionMs.run);
        const at = `${job.record.status} after a retry, within 30 minutes`;
        expectKept(expect.of("RUNA-04"), exchange, { job, at });
      }
      for (const job of ended) {
        const exchange = await statusAfter(context, job.id, job.finishedAt, retentionMs.run);
        const at = `${job.record.status} after a retry, past 30 minutes`;
        expect.of("RUNA-05").refused(exchange, at);
      }
    },
  },
  {
    name: "retry/retention-of-each-runsync-ending",
    title:
      "runsync jobs that timed out, or failed anew after a retry, are kept for a minute, and not past five",
    covers: ["SYNC-07", "RETR-06"],
    needs,
    run: async (context) => {
      const { api, time, expect, jobs } = context;
      const failing = { by: "runsync" } as const;
      // What is kept for longer, and ended before, keeps nothing else.
      await runToCompletion(context);
      const twice = await runToTimeout(context, jobs.slow(60_000), "runsync");
      const ended = [
        await endAgain(context, twice),
        await runToTimeout(context, jobs.slow(60_000), "runsync"),
        await endAgain(context, await runToFailureBy(context, jobs.failing("twice"), failing)),
      ];
      for (const job of ended) {
        const exchange = await statusBefore(context, job.id, job.finishedAt, retentionMs.runsync);
        const at = `${job.record.status}, within 1 minute`;
        expectKept(expect.of("SYNC-07"), exchange, { job, at });
      }
      for (const job of ended) {
        const retry = async () => api.retry(job.id);
        const { exchange } = await time.after(job.finishedAt, retentionMsMax.runsync, retry);
        const at = `retry of a ${job.record.status} job past 5 minutes`;
        expect.of("RETR-06").refused(exchange, at);
      }
    },
  },
];

/** The context, in which differences are recorded under one of several requirements. */
function of(requirement: RequirementId, context: CheckContext): CheckContext {
  return { ...context, expect: context.expect.of(requirement) };
}

async function expectExpired(
  context: CheckContext,
  { id, startedAt }: StartedJob,
  ageMs: number,
): Promise<void> {
  const seen = await waitUntilOverAfter(context, id, { since: startedAt, ageMs });
  const at = `after a ttl of ${ageMs} ms`;
  expectNot(of("POLI-09", context), stateOf(seen), unfinishedOrCompleted, at);
}

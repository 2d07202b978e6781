import {
  expectCompleted,
  expectNot,
  expectFreeWorker,
  isOver,
  waitUntilOverAfter,
  waitUntilOverWithin,
  readingOf,
  unfinishedOrCompleted,
  statusBefore,
} from "../../harness/jobs/job-state.ts";
import { waitForEnd, submitJob } from "../../harness/jobs/fixtures.ts";
import {
  startJob,
  submitOperations,
  submitOperationsOf,
  submitJobBy,
} from "../../harness/jobs/submit.ts";
import { stateOf } from "../../harness/record.ts";
import type { Check } from "../../harness/check.ts";
import type { JobInput } from "../../harness/inputs/jobs.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { CheckContext } from "../../harness/check-context.ts";

const ttlMs = 10_000;

/** Checks of a ttl that runs out before a job has ended (POLI-08, POLI-09, POLI-14). */
export const ttlChecks: readonly Check[] = [
  {
    name: "policy/expired-in-the-queue-never-processed",
    title:
      "a job whose ttl ran out in the queue is never processed, whatever its executionTimeout, and is unknown or shown as ended",
    covers: ["POLI-08", "POLI-14"],
    needs: ["quick", "slow"],
    slowMs: 13000,
    realTimeMs: 20_000,
    stalls: true,
    run: async (context) => {
      const { api, time, workers, expect } = context;
      const workMs = time.choose({ virtual: 60_000, real: 2000 });
      const policies = [{}, { executionTimeout: 5000 }, { executionTimeout: 7_200_000 }];
      const jobs = await workers.whileStalled(async () => {
        const waiting: SubmittedJob[] = [];
        for (const by of submitOperationsOf(context)) {
          // A runsync is answered only after a second, and delays the next ttl by that: in real time one has to do.
          const short = by === "run" ? policies : policies.slice(0, 1);
          for (const policy of time.choose({ virtual: policies, real: short })) {
            const submission = { extra: { policy: { ...policy, ttl: ttlMs } }, by };
            waiting.push(
              await submitJobBy(context, context.jobs.slow(workMs, "expired"), submission),
            );
          }
        }
        for (const [at, { id, submittedAt }] of waiting.entries()) {
          const seen = await waitUntilOverAfter(context, id, { since: submittedAt, ageMs: ttlMs });
          const past = `status past the ttl, job ${at}`;
          expectNot(context, stateOf(seen), unfinishedOrCompleted, past);
          const inQueue = "status of a job that expired in the queue";
          expect.of("POLI-14").reading(readingOf(seen), inQueue);
        }
        return waiting;
      });
      // Only a free worker can show that the jobs are gone and not merely hidden.
      await expectFreeWorker(context, "a quick job, the only one that a worker may take");
      await time.pass(context.jobs.usualMs(workMs));
      for (const { id } of jobs) {
        const state = stateOf(await api.status(id));
        expectNot(context, state, unfinishedOrCompleted, "status after workers were free");
      }
    },
  },
  {
    name: "policy/ttl-not-over-yet",
    title:
      "a queued job whose ttl is not over yet is still there and is processed when a worker is free",
    covers: ["POLI-08"],
    needs: ["quick", "slow"],
    slowMs: 9000,
    stalls: true,
    stallMsMax: 7000,
    run: async (context) => {
      const { api, time, workers, expect } = context;
      const job = await workers.whileStalled(async () => {
        const queued = await submitJob(context, context.jobs.quick("in time"), {
          policy: { ttl: ttlMs + context.jobs.graceMs },
        });
        // On a real clock the stall takes a while to end, and it has to end within the ttl.
        const safeMs = time.choose({ virtual: ttlMs, real: 0.7 * ttlMs });
        const early = await statusBefore(context, queued.id, queued.submittedAt, safeMs);
        expect.equal(stateOf(early), "IN_QUEUE", "status before the ttl is over");
        return queued;
      });
      const seen = await time.until(async () => api.status(job.id), isOver);
      expect.equal(stateOf(seen), "COMPLETED", "status after a worker took it");
    },
  },
  ...submitOperations.map((operation) => expiresInProgress(operation)),
  {
    name: "policy/ttl-covers-queue-and-execution",
    title:
      "ttl goes on from the queue into the execution: together longer than it, a job does not complete",
    covers: ["POLI-09"],
    needs: ["slow"],
    slowMs: 8000,
    realTimeMs: 17_000,
    stalls: true,
    stallMsMax: 7000,
    endpoint: { workers: 2 },
    run: async (context) => {
      const { time, workers, jobs } = context;
      const extra = { policy: { ttl: ttlMs, executionTimeout: 60_000 } };
      const within = time.choose({ virtual: 3999, real: 500 });
      const beyond = jobs.usualMs(time.choose({ virtual: 4001, real: 8000 }));
      const { long, short } = await workers.whileStalled(async () => {
        // One worker alone still ends both where it takes them in this order.
        const inTime = jobs.exact
          ? [await submitJob(context, jobs.slow(within, "in time"), extra)]
          : [];
        const tooLong = await submitJob(context, jobs.slow(beyond, "too late"), extra);
        await time.pass(6000);
        return { long: tooLong, short: inTime };
      });

      for (const job of short) {
        const { record } = await waitForEnd(context, job, within);
        const at = "6000 ms of queue and work that ends within the ttl";
        expectCompleted(context, record.status, { since: job.submittedAt, limitMs: ttlMs, at });
      }
      const seen = await waitUntilOverAfter(context, long.id, {
        since: long.submittedAt,
        ageMs: 6000 + beyond,
      });
      expectNot(context, stateOf(seen), ["COMPLETED"], "6000 ms of queue and work beyond the ttl");
    },
  },
  {
    name: "policy/ttl-covers-a-whole-execution",
    title: "a job that ends before its ttl is over completes",
    covers: ["POLI-09"],
    realTimeMs: 8000,
    run: async (context) => {
      const workMs = context.time.choose({ virtual: ttlMs - 1, real: 5000 });
      const extra = { policy: { ttl: ttlMs } };
      const job = await startJob(context, context.jobs.slow(workMs, "in time"), { extra });
      const exchange = await waitUntilOverWithin(context, job.id, workMs);
      const at = `state after ${workMs} ms`;
      expectCompleted(context, stateOf(exchange), { since: job.submittedAt, limitMs: ttlMs, at });
    },
  },
];

function expiresInProgress(by: SubmitOperation): Check {
  return {
    name: `policy/ttl-ends-a-${by}-job-in-progress`,
    title: `a ${by} job that is still in progress when its ttl runs out does not complete, and is unknown or shown as ended`,
    covers: ["POLI-09", "POLI-14"],
    needs: ["slow"],
    slowMs: 11500,
    realTimeMs: 20_000,
    run: async (context) => {
      const { time, jobs } = context;
      const workMs = time.choose({ virtual: ttlMs + 1, real: 14_000 });
      const workedMs = jobs.usualMs(workMs);
      await expectExpiry(context, { input: jobs.slow(workMs, "too late"), by, workedMs });
      // It has yielded chunks before its ttl is over. On a real clock this would take as long again.
      for (const chunks of time.choose({ virtual: jobs.exact ? [20] : [], real: [] })) {
        const input = jobs.streaming(chunks, 700);
        await expectExpiry(context, { input, by, workedMs: chunks * 700 });
      }
    },
  };
}

interface TooLong {
  readonly input: JobInput;
  readonly by: SubmitOperation;
  /** How long the job usually works. */
  readonly workedMs: number;
}

async function expectExpiry(
  context: CheckContext,
  { input, by, workedMs }: TooLong,
): Promise<void> {
  const { expect } = context;
  const extra = { policy: { ttl: ttlMs, executionTimeout: 600_000 } };
  const job = await startJob(context, input, { extra, by });
  const early = await statusBefore(context, job.id, job.submittedAt, ttlMs);
  expect.equal(stateOf(early), "IN_PROGRESS", "status before the ttl is over");

  const since = job.startedAt;
  const seen = await waitUntilOverAfter(context, job.id, { since, ageMs: workedMs });
  expectNot(context, stateOf(seen), ["COMPLETED"], "status when its work would have ended");
  expect.of("POLI-14").reading(readingOf(seen), "status of a job that expired in progress");
}

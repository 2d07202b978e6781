import {
  expectNot,
  expectFreeWorker,
  waitUntilOverAfter,
  unfinishedOrCompleted,
  statusAfter,
  statusBefore,
  expectCompletion,
} from "../../harness/jobs/job-state.ts";
import { runToEnd, startJob, submitOperationsOf, submitJobBy } from "../../harness/jobs/submit.ts";
import { requireState, waitForEnd } from "../../harness/jobs/fixtures.ts";
import { stateOf } from "../../harness/record.ts";
import { expectOutput, requireQuickWithin } from "../../harness/jobs/offered-jobs.ts";
import { retentionMs } from "../../harness/jobs/retention.ts";
import type { Submission } from "../../harness/jobs/submit.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import type { Check } from "../../harness/check.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { CheckContext } from "../../harness/check-context.ts";

const dayMs = 86_400_000;
const shortest = { policy: { ttl: 10_000 } };

/** Checks of the default ttl, of longer ones, and of a ttl that ends after the job (POLI-10, POLI-11, POLI-13). */
export const longTtlChecks: readonly Check[] = [
  {
    name: "policy/default-ttl",
    title:
      "a queued job without ttl is kept for 24 hours, and not longer, and is never processed after",
    covers: ["POLI-10"],
    stalls: true,
    run: async (context) => {
      const rows: readonly Submission[] = [
        {},
        { extra: { policy: {} } },
        { extra: { policy: { executionTimeout: 5000, lowPriority: true } } },
        { by: "runsync" },
      ];
      const { api, workers, offers } = context;
      // Each of them takes a day, and where workers cannot be set, jobs keep them busy meanwhile.
      const tried = offers("clock") && offers("workers") ? rows : rows.slice(0, 1);
      const jobs = await workers.whileStalled(async () => {
        const expired: SubmittedJob[] = [];
        for (const { by = "run", extra = {} } of tried) {
          const job = await submitJobBy(context, context.jobs.slow(60_000), { by, extra });
          await expectKeptFor(context, job, dayMs, `${by} with ${JSON.stringify(extra)}`);
          expired.push(job);
        }
        return expired;
      });
      await expectFreeWorker(context, "an echo job, the only one that a worker may take");
      for (const { id } of jobs) {
        const state = stateOf(await api.status(id));
        expectNot(context, state, unfinishedOrCompleted, "status after that");
      }
    },
  },
  {
    name: "policy/default-ttl-just-in-time",
    title: "a queued job without ttl is processed when a worker is free just before 24 hours",
    covers: ["POLI-10"],
    needs: ["handler", "workers", "clock"],
    run: async (context) => {
      const { workers } = context;
      const job = await workers.whileStalled(async () => {
        const queued = await submitJobBy(context, context.jobs.quick("a day"));
        await statusBefore(context, queued.id, queued.submittedAt, dayMs);
        return queued;
      });
      await expectCompletion(context, job, "status after a day less 1 ms in the queue");
    },
  },
  {
    name: "policy/job-outlives-the-default-ttl",
    title: "a job with a ttl above 24 hours is still queued after them, and is processed",
    covers: ["POLI-11"],
    stalls: true,
    run: async (context) => {
      const { workers, expect } = context;
      const extra = { policy: { ttl: 7 * dayMs } };
      const low = { policy: { ttl: 7 * dayMs, lowPriority: true } };
      const jobs = await workers.whileStalled(async () => {
        const waiting: SubmittedJob[] = [];
        for (const by of submitOperationsOf(context)) {
          waiting.push(await submitJobBy(context, context.jobs.quick("patient"), { extra, by }));
        }
        waiting.push(await submitJobBy(context, context.jobs.quick("patient"), { extra: low }));
        for (const { id, submittedAt } of waiting) {
          const exchange = await statusAfter(context, id, submittedAt, dayMs);
          expect.equal(stateOf(exchange), "IN_QUEUE", "status after 24 hours in the queue");
        }
        return waiting;
      });
      for (const { id } of jobs) {
        await expectCompletion(context, { id }, "status after a worker took it");
      }
    },
  },
  {
    name: "policy/long-ttl-ends",
    title: "a ttl above the default, up to 7 days, is kept to, and not longer",
    covers: ["POLI-11"],
    needs: ["handler", "workers", "clock"],
    run: async (context) => {
      await context.workers.whileStalled(async () => {
        for (const ttl of [dayMs + 2, 2 * dayMs, 7 * dayMs]) {
          const extra = { policy: { ttl } };
          const job = await submitJobBy(context, context.jobs.quick("long"), { extra });
          await expectKeptFor(context, job, ttl, `ttl ${ttl}`);
        }
      });
    },
  },
  {
    name: "policy/ttl-ends-with-completion",
    title: "a completed job's result is still there when its ttl would have run out",
    covers: ["POLI-13"],
    needs: ["quick"],
    run: async (context) => {
      const { expect } = context;
      requireQuickWithin(context, 6000);
      for (const by of submitOperationsOf(context)) {
        const input = context.jobs.quick(by);
        const ended = await runToEnd(context, input, { extra: shortest, by });
        const { id, submittedAt, record } = requireState(ended, "COMPLETED");
        const exchange = await statusAfter(context, id, submittedAt, 10_000);
        const { status, output } = expect.record(exchange, `status of a ${by} job past its ttl`);
        expect.equal(status, "COMPLETED", `${by}, status`);
        expect.equal(output, record["output"], `${by}, output`);
        expectOutput(context, output, { input, at: `${by}, output` });
      }
    },
    realTimeMs: 24_000,
  },
  {
    name: "policy/ttl-shortens-no-retention",
    title: "a finished job keeps its whole retention, however short its ttl was",
    covers: ["POLI-13"],
    needs: ["handler", "clock"],
    run: async (context) => {
      await expectRetention(context, "runsync");
      await expectRetention(context, "run");
    },
  },
  {
    name: "policy/ttl-spares-failures",
    title: "a job that failed or timed out keeps its record past its ttl",
    covers: ["POLI-13"],
    needs: ["failing", "slow"],
    slowMs: 6000,
    realTimeMs: 20_000,
    endpoint: { workers: 2 },
    run: async (context) => {
      const { expect } = context;
      const extra = { policy: { ttl: 10_000, executionTimeout: 5000 } };
      const failing = await submitJobBy(context, context.jobs.failing("with a ttl"), { extra });
      const slow = await startJob(context, context.jobs.slow(20_000), { extra });
      const rows = [await waitForEnd(context, failing), await waitForEnd(context, slow, 5001)];
      for (const { id, submittedAt, record } of rows) {
        const exchange = await statusAfter(context, id, submittedAt, 10_000);
        expect.equal(stateOf(exchange), record.status, `status of a ${record.status} job`);
      }
    },
  },
];

/** Records a difference unless a job waits just before a moment, and neither waits nor runs just after. */
async function expectKeptFor(
  context: CheckContext,
  { id, submittedAt }: SubmittedJob,
  keptMs: number,
  at: string,
): Promise<void> {
  const { expect } = context;
  const early = await statusBefore(context, id, submittedAt, keptMs);
  expect.equal(stateOf(early), "IN_QUEUE", `${at}: status before its end`);
  const late = await waitUntilOverAfter(context, id, { since: submittedAt, ageMs: keptMs });
  expectNot(context, stateOf(late), unfinishedOrCompleted, `${at}: status after its end`);
}

async function expectRetention(context: CheckContext, by: SubmitOperation): Promise<void> {
  const { expect } = context;
  const keptMs = retentionMs[by];
  const job = await runToEnd(context, context.jobs.quick(by), { extra: shortest, by });
  const exchange = await statusBefore(context, job.id, job.finishedAt, keptMs);
  const { status, output } = expect.record(exchange, `status of a ${by} job near its retention`);
  expect.equal(status, "COMPLETED", `${by}, status`);
  expect.equal(output, { value: by }, `${by}, output`);
}

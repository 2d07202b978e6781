import type { Exchange } from "../../client/exchange.ts";
import {
  requireState,
  retryToEnd,
  runToCompletion,
  waitForEnd,
  readJob,
  submitJob,
  retryJob,
} from "../../harness/jobs/fixtures.ts";
import {
  runToEnd,
  startJob,
  submitOperations,
  submitOperationsOf,
  submitJobBy,
} from "../../harness/jobs/submit.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import { waitUntilOverBy, waitUntilOverWithin } from "../../harness/jobs/job-state.ts";
import { retentionMs } from "../../harness/jobs/retention.ts";
import { stateOf, lastingFields } from "../../harness/record.ts";
import { expectOutput, runToFailureIfOffered } from "../../harness/jobs/offered-jobs.ts";
import { runToTimeout } from "../../harness/jobs/endings.ts";
import type { Check } from "../../harness/check.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import {
  expectRanAgain,
  expectRetriedBy,
  runToFailureBy,
  expectSameDelay,
  expectStaysCancelled,
  expectTooLate,
  retryLate,
} from "./endings.ts";
import { readCounts } from "../health/counts.ts";

/** Checks of a retry that is refused, for the job's state or for its age (RETR-05, RETR-06). */
export const refusedRetryChecks: readonly Check[] = [
  {
    name: "retry/completed-job-is-refused",
    title: "retry of a COMPLETED job is refused, and its record stays as it was",
    covers: ["RETR-05"],
    needs: ["quick"],
    run: async (context) => {
      const { api, jobs, expect } = context;
      const once = jobs.failingFirst(0, "once");
      for (const [by, kind, input] of [
        ["run", "run job", once],
        ["runsync", "runsync job", once],
        ...(jobs.exact ? [["run", "job without chunks", jobs.streaming(0, 0)] as const] : []),
      ] as const) {
        const job = requireState(await runToEnd(context, input, { by }), "COMPLETED");
        expect.refused(await api.retry(job.id), `retry of a COMPLETED ${kind}`);
        const after = lastingFields(expect.record(await waitUntilOverWithin(context, job.id)));
        expect.equal(after, lastingFields(job.record), "the record after the refused retry");
      }
    },
  },
  {
    name: "retry/completed-after-a-retry-is-refused",
    title:
      "retry of a job that completed after a retry is refused, again and again, and changes nothing",
    covers: ["RETR-05"],
    needs: ["handler"],
    run: async (context) => {
      const { api, expect } = context;
      const job = await runToFailureBy(context, context.jobs.failingFirst(1, "once"));
      const { record } = await retryToEnd(context, job);
      if (record.status !== "COMPLETED")
        throw new Inconclusive(`the retried job is ${record.status}, not COMPLETED`);
      expect.refused(await api.retry(job.id), "retry after completion");
      expect.refused(await api.retry(job.id), "second retry after completion");
      await context.time.settle();
      const after = lastingFields(await readJob(context, job.id));
      expect.equal(after, lastingFields(record), "the record after the refused retries");
    },
  },
  {
    name: "retry/queued-is-refused",
    title: "retry of a job IN_QUEUE is refused; it waits on, and is processed once",
    covers: ["RETR-05"],
    needs: ["quick", "slow"],
    slowMs: 5000,
    stalls: true,
    run: async (context) => {
      const { api, time, workers, expect } = context;
      // Others may share a stall on a real clock, so that it has to be short.
      const waitsLong = context.jobs.exact && time.choose({ virtual: true, real: false });
      const { jobs, retriedLate } = await workers.whileStalled(async () => {
        const waiting = [];
        for (const by of submitOperationsOf(context)) {
          const input = context.jobs.failingFirst(0, by);
          const queued = await submitJobBy(context, input, { by });
          expect.refused(await api.retry(queued.id), `retry of a ${by} job IN_QUEUE`);
          expect.equal(stateOf(await api.status(queued.id)), "IN_QUEUE", `${by}, status after it`);
          waiting.push({ by, input, id: queued.id });
        }
        return { jobs: waiting, retriedLate: waitsLong ? await retryLate(context) : undefined };
      });
      for (const { by, input, id } of jobs) {
        const over = await waitUntilOverWithin(context, id);
        const { output } = expect.record(over, `${by}, processed`);
        expectOutput(context, output, { input, at: `${by}, output` });
      }
      if (retriedLate !== undefined) await expectSameDelay(context, retriedLate);
    },
  },
  {
    name: "retry/requeued-is-refused",
    title: "a second retry while the job waits again is refused",
    covers: ["RETR-05"],
    needs: ["failing", "slow"],
    slowMs: 4000,
    stalls: true,
    run: async (context) => {
      const { api, workers, expect } = context;
      const input = context.jobs.failingFirst(1, "once");
      const job = await runToFailureBy(context, input);
      await workers.whileStalled(async () => {
        await retryJob(context, job);
        expect.refused(await api.retry(job.id), "a second retry, IN_QUEUE");
      });
      const over = await waitUntilOverWithin(context, job.id);
      expectRanAgain(context, over, { input, at: "processed" });
    },
  },
  {
    name: "retry/in-progress-is-refused",
    title: "retry of a job IN_PROGRESS is refused, and the job ends when it would have ended",
    covers: ["RETR-05"],
    needs: ["slow"],
    slowMs: 5000,
    realTimeMs: 14_000,
    run: async (context) => {
      const { api, time, expect } = context;
      const workMs = 5000;
      const { atLeastMs, atMostMs } = context.jobs.lengthOf(workMs);
      const retriedAtMs = 3000;
      for (const by of submitOperationsOf(context)) {
        const job = await startJob(context, context.jobs.slow(workMs, by), { by });
        const retry = async (): Promise<Exchange> => api.retry(job.id);
        const look = async (): Promise<Exchange> => api.status(job.id);
        const refusal = await time.before(job.startedAt, retriedAtMs, retry, { changes: true });
        expect.refused(refusal.exchange, `retry of a ${by} job IN_PROGRESS`);
        const { exchange: soon } = await time.before(job.startedAt, atLeastMs, look);
        expect.equal(stateOf(soon), "IN_PROGRESS", `${by}, status after it`);
        // If the retry had started the job anew, it would still need more than half of its time.
        const doneMs = atMostMs + time.choose({ virtual: 0, real: 1000 });
        const exchange = await waitUntilOverBy(context, job, doneMs);
        expect.equal(stateOf(exchange), "COMPLETED", `${by}, status when its work is done`);
      }
    },
  },
  {
    name: "retry/cancelled-is-refused",
    title:
      "retry of a CANCELLED job is refused, whether it was queued or in progress, and it stays CANCELLED",
    covers: ["RETR-05"],
    needs: ["quick", "slow"],
    slowMs: 4000,
    stalls: true,
    run: async (context) => {
      const { api, workers } = context;
      const ofRunsync = await startJob(context, context.jobs.slow(60_000), { by: "runsync" });
      await api.cancel(ofRunsync.id);
      await expectStaysCancelled(context, ofRunsync.id, "in progress, of runsync");
      const busy = await startJob(context, context.jobs.slow(60_000));
      await api.cancel(busy.id);
      const failed = await runToFailureIfOffered(context);
      const queued = await workers.whileStalled(async () => {
        const stopped = await submitJob(context, context.jobs.quick("cancelled"));
        for (const job of failed) await retryJob(context, job);
        for (const { id } of [stopped, ...failed]) await api.cancel(id);
        return stopped;
      });
      for (const [id, from] of [
        [busy.id, "in progress"],
        [queued.id, "in the queue"],
        ...failed.map((job) => [job.id, "in the queue, after a retry"] as const),
      ] as const) {
        await expectStaysCancelled(context, id, from);
      }
    },
  },
  {
    name: "retry/refusals-are-not-counted",
    title: "a refused retry does not count as a retry in health",
    covers: ["RETR-05"],
    needs: ["quick"],
    exclusive: true,
    run: async (context) => {
      const { api, expect } = context;
      const job = await runToCompletion(context);
      const before = await readCounts(context);
      expect.refused(await api.retry(job.id), "retry of a COMPLETED job");
      const { retried } = await readCounts(context);
      expect.equal(retried, before.retried, "jobs.retried of health");
    },
  },
  {
    name: "retry/expired-failure-is-refused",
    title: "a job that failed or timed out cannot be retried once its retention has expired",
    covers: ["RETR-06"],
    needs: ["failing", "slow"],
    slowMs: 6000,
    endpoint: { workers: 2 },
    run: async (context) => {
      const jobs = [
        await runToFailureBy(context, context.jobs.failing("long ago")),
        await runToTimeout(context),
      ];
      for (const job of jobs) await expectTooLate(context, job, "run");
    },
  },
  {
    name: "retry/expired-runsync-failure-is-refused",
    title: "a runsync job that failed cannot be retried 5 minutes later",
    covers: ["RETR-06"],
    needs: ["failing"],
    realTimeMs: 302_000,
    run: async (context) => {
      const input = context.jobs.failing("long ago");
      const job = await runToFailureBy(context, input, { by: "runsync" });
      await expectTooLate(context, job, "runsync");
    },
  },
  {
    name: "retry/expired-after-a-retry-is-refused",
    title: "the retention of a job that failed again counts from its last failure",
    covers: ["RETR-06", "RETR-07"],
    needs: ["handler", "clock"],
    run: async (context) => {
      const { api, time, expect } = context;
      const job = await runToFailureBy(context, context.jobs.failing("again"));
      const retry = async (): Promise<Exchange> => api.retry(job.id);
      const early = await time.before(job.finishedAt, retentionMs.run, retry, { changes: true });
      expect.of("RETR-07").accepted(early.exchange, "retry before the first retention ends");
      await waitForEnd(context, job);

      const late = await time.after(job.finishedAt, retentionMs.run, retry);
      expect.of("RETR-07").accepted(late.exchange, "retry past the first retention");
      await waitForEnd(context, job);
      const { exchange } = await time.after(late.at, retentionMs.run, retry);
      expect.refused(exchange, "retry past the last retention");
    },
  },
  ...submitOperations.map((by) => acceptsUntilExpiry(by)),
];

function acceptsUntilExpiry(by: SubmitOperation): Check {
  return {
    name: `retry/failed-${by}-job-until-its-retention-ends`,
    title: `a ${by} job that failed can be retried until its retention ends, and runs again`,
    covers: ["RETR-07"],
    needs: ["failing"],
    realTimeMs: retentionMs[by],
    run: async (context) => {
      const { api, time } = context;
      const input = context.jobs.failingFirst(1, "in time");
      const job = await runToFailureBy(context, input, { by });
      const retry = async (): Promise<Exchange> => api.retry(job.id);
      const keptMs = retentionMs[by];
      const { exchange } = await time.before(job.finishedAt, keptMs, retry, { changes: true });
      const at = `retry of a ${by} job just before its retention ends`;
      expectRetriedBy(exchange, context, job, at);
      const seen = await waitUntilOverWithin(context, job.id);
      expectRanAgain(context, seen, { input, at: "the retried job" });
    },
  };
}

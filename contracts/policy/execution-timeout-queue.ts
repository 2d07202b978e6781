import {
  requireQuickWithin,
  stateOf,
  submitJob,
  submitJobBy,
  submitOperations,
  waitForEnd,
} from "../../harness/index.ts";
import type { Check, CheckContext, JobInput, SubmitOperation } from "../../harness/index.ts";
import { expectTimeout } from "./execution-timeout.ts";

/** Checks that time in the queue uses up no executionTimeout (POLI-07). */
export const executionTimeoutQueueChecks: readonly Check[] = [
  {
    name: "policy/execution-timeout-spares-the-queue",
    title: "time in the queue does not use up executionTimeout",
    covers: ["POLI-07"], // executionTimeout counts processing alone: time in the queue does not use it up.
    needs: ["quick", "slow"],
    slowMs: 9500,
    realTimeMs: 22_000,
    stalls: true,
    endpoint: { workers: 2 },
    run: async (context) => {
      // Longer than the timeout, or than what it leaves beside the work.
      const queueMs = 6000;
      const { time, jobs } = context;
      const { atLeastMs, atMostMs } = jobs.lengthOf(0);
      const wholeMs = atMostMs + 1000;
      // A quick job may take no time, so that a slow one shows more, if its owner knows its length well enough.
      if (!jobs.exact && wholeMs < atLeastMs + queueMs) {
        const extra = { policy: { executionTimeout: wholeMs } };
        const input = jobs.slow(atMostMs);
        await completeAfterQueue(context, {
          extra,
          queueMs,
          input,
          workMs: atMostMs,
          operations: submitOperations,
        });
        return;
      }
      const extra = { policy: { executionTimeout: 5000 } };
      const workMs = time.choose({ virtual: 4999, real: 1500 });
      requireQuickWithin(context, 4500);
      await completeAfterQueue(context, { extra, queueMs, workMs, operations: submitOperations });
    },
  },
  {
    name: "policy/execution-timeout-spares-a-short-queue",
    title:
      "time in the queue and work that only together are longer than executionTimeout complete",
    covers: ["POLI-07"], // executionTimeout counts processing alone: time in the queue does not use it up.
    needs: ["handler"],
    realTimeMs: 12_000,
    stalls: true,
    stallMsMax: 2000,
    endpoint: { workers: 2 },
    run: async (context) => {
      const extra = { policy: { executionTimeout: 5000 } };
      const lengths = context.time.choose({
        virtual: { queueMs: 2500, workMs: 4999, operations: submitOperations },
        real: { queueMs: 2000, workMs: 4000, operations: ["run"] },
      } as const);
      await completeAfterQueue(context, { extra, ...lengths });
    },
  },
  {
    name: "policy/execution-timeout-after-the-queue",
    title: "a job that waited longer than its executionTimeout still has all of it, and no more",
    covers: ["POLI-07"], // executionTimeout counts processing alone: time in the queue does not use it up.
    needs: ["handler", "workers", "clock"],
    run: async (context) => {
      const { time, workers } = context;
      const extra = { policy: { executionTimeout: 5000 } };
      const job = await workers.whileStalled(async () => {
        const queued = await submitJob(context, context.jobs.slow(20_000), extra);
        await time.pass(7000);
        return { ...queued, startedAt: time.now() };
      });
      await expectTimeout(context, job, 5000, "5000 ms, after 7000 ms of queue");
    },
  },
];

interface QueueAndWork {
  readonly extra: Readonly<Record<string, unknown>>;
  readonly queueMs: number;
  readonly workMs: number;
  readonly operations: readonly SubmitOperation[];
  /** What the jobs are; absent: jobs that work for `workMs` or are quick. */
  readonly input?: JobInput;
}

/** Keeps jobs in the queue for `queueMs`, lets them work for `workMs`, and expects them to complete. */
async function completeAfterQueue(
  context: CheckContext,
  { extra, queueMs, workMs, operations, input }: QueueAndWork,
): Promise<void> {
  const { api, time, workers, expect } = context;
  const at = `after ${String(queueMs)} ms in the queue`;
  const jobs = await workers.whileStalled(async () => {
    const waiting = [];
    for (const by of operations) {
      const asked = input ?? context.jobs.short(workMs, by);
      waiting.push(await submitJobBy(context, asked, { extra, by }));
    }
    await time.pass(queueMs);
    for (const { id } of waiting) {
      expect.equal(stateOf(await api.status(id)), "IN_QUEUE", `status ${at}`);
    }
    return waiting;
  });
  for (const job of jobs) {
    const { record } = await waitForEnd(context, job, 2 * workMs);
    const worked = `${String(workMs)} ms of processing`;
    expect.equal(record.status, "COMPLETED", `status ${at} and ${worked}`);
  }
}

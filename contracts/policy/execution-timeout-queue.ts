import { requireQuickWithin } from "../../harness/jobs/offered-jobs.ts";
import { stateOf } from "../../harness/record.ts";
import { submitJobBy, submitOperations } from "../../harness/jobs/submit.ts";
import { waitForEnd } from "../../harness/jobs/fixtures.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { JobInput } from "../../harness/inputs/jobs.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import { withTimeout } from "./execution-timeout.ts";
import { expectTimeout } from "../endings.ts";

/** Checks that time in the queue uses up no executionTimeout (POLI-07). */
export const executionTimeoutQueueChecks: readonly Check[] = [
  {
    name: "policy/execution-timeout-spares-the-queue",
    title: "time in the queue does not use up executionTimeout",
    covers: ["POLI-07"],
    needs: ["quick", "slow"],
    slowMs: 9500,
    realTimeMs: 22_000,
    stalls: true,
    endpoint: { workers: 2 },
    run: async (context) => {
      const { time, jobs } = context;
      const queueMs = 6000;
      const { atLeastMs, atMostMs } = jobs.lengthOf(0);
      // As long as shows it: queue and work together are a second longer.
      const wholeMs = atLeastMs + queueMs - 1000;
      // A quick job may take no time, so that a slow one shows more, if its owner knows its length well enough.
      const isSlow = !jobs.exact && atMostMs + 1000 <= wholeMs;
      if (!isSlow) requireQuickWithin(context, 4500);
      const workMs = isSlow ? atMostMs : time.choose({ virtual: 4999, real: 1500 });
      const extra = { policy: { executionTimeout: isSlow ? wholeMs : 5000 } };
      const input = isSlow ? { input: jobs.slow(workMs) } : {};
      const operations = submitOperations;
      await completeAfterQueue(context, { extra, queueMs, workMs, operations, ...input });
    },
  },
  {
    name: "policy/execution-timeout-spares-a-short-queue",
    title:
      "time in the queue and work that only together are longer than executionTimeout complete",
    covers: ["POLI-07"],
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
    covers: ["POLI-07"],
    needs: ["handler", "workers", "clock"],
    run: async (context) => {
      const { time, workers } = context;
      const job = await workers.whileStalled(async () => {
        const queued = await submitJobBy(context, context.jobs.slow(20_000), withTimeout(5000));
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
  /** What the jobs do; absent: they work for `workMs`, or are quick. */
  readonly input?: JobInput;
}

/** Keeps jobs in the queue for `queueMs`, lets them work for `workMs`, and expects them to complete. */
async function completeAfterQueue(
  context: CheckContext,
  { extra, queueMs, workMs, operations, input }: QueueAndWork,
): Promise<void> {
  const { api, time, workers, expect } = context;
  const at = `after ${queueMs} ms in the queue`;
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
    const worked = `${workMs} ms of processing`;
    expect.equal(record.status, "COMPLETED", `status ${at} and ${worked}`);
  }
}

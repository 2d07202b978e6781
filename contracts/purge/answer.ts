import type { Exchange } from "../../client/index.ts";
import { bodyOf } from "../../client/index.ts";
import {
  Inconclusive,
  answerOf,
  runToCompletion,
  runToFailure,
  waitForEnd,
  inputs,
  isSuccess,
  outline,
  readingOf,
  startJob,
  submitJob,
  submitJobBy,
  awaitRateLimitSlot,
  waitingJobs,
} from "../../harness/index.ts";
import type { Check, Expectations, CheckContext } from "../../harness/index.ts";

/** Checks of what purge-queue answers, and of what status shows then (PURG-01, PURG-04, PURG-06). */
export const purgeAnswerChecks: readonly Check[] = [
  {
    name: "purge/removes-and-counts",
    title: "purge-queue answers the number of jobs that were waiting, and status completed",
    covers: ["PURG-01"], // purge-queue answers {removed, status: completed}; removed is the number of jobs that were waiting.
    needs: ["handler"],
    realTimeMs: 25_000,
    exclusive: true,
    run: async (context) => {
      const { api, workers, expect } = context;
      for (const count of [1, 3, 12]) {
        await awaitRateLimitSlot(context, "purge-queue");
        await workers.whileStalled(async () => {
          await expectEmptyQueue(context);
          for (let job = 0; job < count; job += 1) {
            await submitJob(context, inputs.echo(job));
          }
          expectRemoved(expect, await api.purgeQueue(), { count, at: `${String(count)} waiting` });
        });
      }
    },
  },
  {
    name: "purge/counts-every-kind-of-waiting-job",
    title:
      "jobs of run and runsync, of low priority and retried ones count as waiting; others do not",
    covers: ["PURG-01"], // purge-queue answers {removed, status: completed}; removed is the number of jobs that were waiting.
    needs: ["handler"],
    realTimeMs: 8000,
    exclusive: true,
    endpoint: { workers: 1 },
    run: async (context) => {
      const { api, workers, expect } = context;
      await runToCompletion(context);
      const broken = await runToFailure(context);
      await workers.whileStalled(async () => {
        await expectEmptyQueue(context);
        await submitJob(context, inputs.echo("run"));
        await submitJobBy(context, inputs.echo("runsync"), { by: "runsync" });
        await submitJob(context, inputs.echo("low"), { policy: { lowPriority: true } });
        await submitJob(context, inputs.echo("ttl"), { policy: { ttl: 600_000 } });
        const cancelled = await submitJob(context, inputs.echo("cancelled"));
        await api.cancel(cancelled.id);
        const retried = await api.retry(broken.id);
        if (!isSuccess(answerOf(retried)))
          throw new Inconclusive("a FAILED job could not be retried");

        const at = "run, runsync, lowPriority, ttl and retried";
        expectRemoved(expect, await purged(context), { count: 5, at });
      });
    },
  },
  {
    name: "purge/second-purge-finds-nothing",
    title: "a second purge counts only what was submitted since the first",
    covers: ["PURG-01"], // purge-queue answers {removed, status: completed}; removed is the number of jobs that were waiting.
    needs: ["handler"],
    realTimeMs: 8000,
    exclusive: true,
    run: async (context) => {
      const { workers, expect } = context;
      await workers.whileStalled(async () => {
        await expectEmptyQueue(context);
        for (const value of [1, 2, 3]) await submitJob(context, inputs.echo(value));
        expectRemoved(expect, await purged(context), { count: 3, at: "the first purge" });
        await submitJob(context, inputs.echo("since"));
        expectRemoved(expect, await purged(context), { count: 1, at: "the second purge" });
      });
    },
  },
  {
    name: "purge/empty-queue",
    title: "purging an empty queue answers removed 0",
    covers: ["PURG-04"], // Purging an empty queue answers removed 0.
    exclusive: true,
    run: async (context) => {
      await expectEmptyQueue(context);
      const { expect } = context;
      expectRemoved(expect, await purged(context), { count: 0, at: "an empty queue" });
      expectRemoved(expect, await purged(context), { count: 0, at: "an empty queue, again" });
    },
  },
  {
    name: "purge/only-finished-and-running-jobs",
    title:
      "with jobs in progress and finished ones, but none waiting, purge-queue answers removed 0",
    covers: ["PURG-04"], // Purging an empty queue answers removed 0.
    needs: ["handler"],
    exclusive: true,
    run: async (context) => {
      await runToCompletion(context);
      await runToFailure(context);
      const busy = await startJob(context, inputs.sleep(30_000));
      await expectEmptyQueue(context);
      expectRemoved(context.expect, await purged(context), { count: 0, at: "one job in progress" });
      await context.api.cancel(busy.id);
    },
  },
  {
    name: "purge/purged-twice",
    title: "a queue that was purged is empty: the next purge answers removed 0",
    covers: ["PURG-04"], // Purging an empty queue answers removed 0.
    needs: ["handler"],
    exclusive: true,
    run: async (context) => {
      await context.workers.whileStalled(async () => {
        await submitJob(context, inputs.echo("purged"));
        const first = await purged(context);
        if (!isSuccess(answerOf(first)))
          throw new Inconclusive("the purge this check needs was not accepted");
        expectRemoved(context.expect, await purged(context), { count: 0, at: "the second purge" });
      });
    },
  },
  {
    name: "purge/purged-job-reading",
    title: "a purged job is unknown, or shown as ended",
    covers: ["PURG-06"], // What status shows for a purged job.
    needs: ["handler"],
    exclusive: true,
    run: async (context) => {
      const { api, time, workers, expect } = context;
      await workers.whileStalled(async () => {
        const job = await submitJob(context, inputs.echo("purged"));
        const purge = await purged(context);
        if (!isSuccess(answerOf(purge)))
          throw new Inconclusive("the purge this check needs was not accepted");
        await time.settle();
        expect.reading(readingOf(await api.status(job.id)), "status of a purged job");
      });
    },
  },
  {
    name: "purge/in-progress-not-counted",
    title: "jobs in progress are not among the removed",
    covers: ["PURG-01"], // purge-queue answers {removed, status: completed}; removed is the number of jobs that were waiting.
    needs: ["handler", "endpoints"],
    realTimeMs: 8000,
    endpoint: { workers: 2 },
    run: async (context) => {
      const busy = [
        await startJob(context, inputs.sleep(3000)),
        await startJob(context, inputs.sleep(3000)),
      ];
      await submitJob(context, inputs.echo("waiting"));
      const at = "one waiting behind two in progress";
      expectRemoved(context.expect, await purged(context), { count: 1, at });
      for (const job of busy) await waitForEnd(context, job, 3000);
    },
  },
];

/** Purges as soon as the limit on purge-queue has room. */
async function purged(context: CheckContext): Promise<Exchange> {
  await awaitRateLimitSlot(context, "purge-queue");
  return context.api.purgeQueue();
}

/** Records a difference unless the answer is a success with that number of removed jobs and status completed. */
function expectRemoved(
  expect: Expectations,
  exchange: Exchange,
  { count, at }: { readonly count: number; readonly at: string },
): void {
  const answer = answerOf(exchange);
  if (answer.status === 429) throw new Inconclusive("purge-queue answered 429");
  const parsed = bodyOf(answer);
  const body: unknown = isSuccess(answer) && parsed.ok ? parsed.value : undefined;
  const holds =
    typeof body === "object" &&
    body !== null &&
    "removed" in body &&
    "status" in body &&
    body.removed === count &&
    body.status === "completed";
  const expected = `2xx with removed ${String(count)} and status completed`;
  expect.that(holds, { at, expected, got: outline(answer) });
}

/** On an endpoint that others use, their waiting jobs would be counted too. */
async function expectEmptyQueue(context: CheckContext): Promise<void> {
  const waiting = await waitingJobs(context);
  if (waiting > 0) throw new Inconclusive(`${String(waiting)} jobs of others wait in the queue`);
}

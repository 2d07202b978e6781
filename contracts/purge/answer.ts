import type { Exchange } from "../../client/exchange.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import { answerOf, isSuccess, describeAnswer } from "../../harness/read.ts";
import {
  runToCompletion,
  runToFailure,
  submitJob,
  retryJob,
  waitUntilInProgress,
} from "../../harness/jobs/fixtures.ts";
import { readingOf } from "../../harness/jobs/job-state.ts";
import { requireYounger } from "../../harness/endpoint/time.ts";
import { submitJobBy } from "../../harness/jobs/submit.ts";
import { stateOf } from "../../harness/record.ts";
import { awaitRateLimitSlot } from "../../harness/endpoint/rate-limit-slot.ts";
import { countQueuedJobs } from "../../harness/jobs/counts.ts";
import { runToFailureIfOffered } from "../../harness/jobs/offered-jobs.ts";
import { shortestTimeoutMs } from "../../harness/inputs/conformance-jobs.ts";
import { runToTimeout } from "../../harness/jobs/endings.ts";
import type { Check } from "../../harness/check.ts";
import type { Expectations } from "../../harness/expect.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import { expectLetIn } from "../auth/effects.ts";
import { readCounts, waitForCounts } from "../health/counts.ts";
import type { HealthCounts } from "../health/counts.ts";
import { jobsNoIdleWorkerTakes } from "../health/workers.ts";
import { webhookFor } from "../webhook/calls.ts";

/** The shortest ttl of a submission (POLI-02). */
const ttlMs = 10_000;

/** How soon the worker of a job that was terminated is surely free again. */
const workerFreeMsMax = 10_000;

/** A pause after each job. In the end the three jobs have waited for 20 hours, an hour and a minute. */
const waitsMs = [19 * 3_600_000, 59 * 60_000, 60_000];

/** Checks of what purge-queue answers, and of what status shows then (PURG-01, PURG-04, PURG-06). */
export const purgeAnswerChecks: readonly Check[] = [
  {
    name: "purge/counts-no-expired-job",
    title: "a job whose ttl ran out in the queue is not counted as removed, one that waits is",
    covers: ["PURG-01"],
    needs: ["handler", "workers", "endpoints"],
    realTimeMs: 12_000,
    run: async (context) => {
      const { time, workers, endpoint, expect } = context;
      await workers.whileStalled(async () => {
        await submitJob(context, context.jobs.quick("expires"), { policy: { ttl: ttlMs } });
        await submitJob(context, context.jobs.quick("waits"));
        await time.pass(ttlMs + time.choose({ virtual: 1, real: 1000 }));
        const { removed } = expect.body(await endpoint.purge(), "PurgeAnswer");
        expect.equal(removed, 1, "removed, of a job that waits and one that has expired");
      });
    },
  },
  {
    name: "purge/removes-and-counts",
    title:
      "purge-queue answers status completed and how many jobs were waiting, none of them once more",
    covers: ["PURG-01", "PURG-04"],
    needs: ["quick", "slow"],
    slowMs: 5000,
    realTimeMs: 8000,
    exclusive: true,
    purges: 2,
    run: async (context) => {
      const { time, workers } = context;
      // No stall may last until the limit allows a purge: two are allowed before it, more on a virtual clock only.
      for (let slot = 0; slot < 2; slot += 1) await awaitRateLimitSlot(context, "purge-queue");
      const counts = time.choose({ virtual: [12, 0, 1, 3], real: [12, 0] });
      await workers.whileStalled(async () => {
        await expectEmptyQueue(context);
        for (const [sent, count] of counts.entries()) {
          if (sent >= 2) await awaitRateLimitSlot(context, "purge-queue");
          await expectCounted(context, count);
        }
      });
    },
  },
  {
    name: "purge/counts-every-kind-of-waiting-job",
    title:
      "jobs of run and runsync, of low priority and retried ones count as waiting; others do not",
    covers: ["PURG-01"],
    needs: ["quick", "slow", "failing"],
    slowMs: 6000,
    realTimeMs: 8000,
    exclusive: true,
    purges: 1,
    endpoint: { workers: 1 },
    run: async (context) => {
      const { api, workers, expect } = context;
      await runToCompletion(context);
      const broken = await runToFailure(context);
      await awaitRateLimitSlot(context, "purge-queue");
      await workers.whileStalled(async () => {
        await expectEmptyQueue(context);
        // With all that may be said of a plain job.
        const hooked = await webhookFor(context);
        const plain = await submitJob(context, context.jobs.quick("run"), hooked);
        await api.status(plain.id, { ttl: 600_000 });
        await submitJobBy(context, context.jobs.quick("runsync"), { by: "runsync" });
        await submitJob(context, context.jobs.quick("low"), { policy: { lowPriority: true } });
        await submitJob(context, context.jobs.quick("ttl"), { policy: { ttl: 600_000 } });
        const cancelled = await submitJob(context, context.jobs.quick("cancelled"));
        await api.cancel(cancelled.id);
        const retried = await api.retry(broken.id);
        if (!isSuccess(answerOf(retried)))
          throw new Inconclusive("a FAILED job could not be retried", ["RETR-01"]);

        const at = "run, runsync, lowPriority, ttl and retried";
        expectRemoved(expect, await context.api.purgeQueue(), { count: 5, at });
      });
    },
  },
  {
    name: "purge/jobs-that-waited-for-hours",
    title: "jobs that have waited for hours count and go like those that came just now",
    covers: ["PURG-01", "PURG-02"],
    needs: ["handler", "workers", "endpoints", "clock"],
    endpoint: { workers: 1 },
    run: async (context) => {
      const { api, time, workers, expect } = context;
      await workers.set(0);
      const waiting: SubmittedJob[] = [];
      for (const waitMs of waitsMs) {
        waiting.push(await submitJob(context, context.jobs.quick(waitMs)));
        await time.pass(waitMs);
        for (const { id } of waiting) {
          if (stateOf(await api.status(id)) === "IN_QUEUE") continue;
          throw new Inconclusive("a job did not wait until the purge");
        }
      }
      const at = "jobs that have waited for a minute to 20 hours";
      expectRemoved(expect, await context.endpoint.purge(), { count: waiting.length, at });
      await workers.set(1);
      await time.settle();
      for (const { id } of waiting) {
        const isProcessed = stateOf(await api.status(id)) === "COMPLETED";
        expect.of("PURG-02").equal(isProcessed, false, "whether a purged job was processed");
      }
    },
  },
  {
    name: "purge/empty-queue",
    title: "purging an empty queue with the bare key answers removed 0",
    covers: ["PURG-04", "AUTH-03"],
    exclusive: true,
    purges: 1,
    run: async (context) => {
      await expectEmptyQueue(context);
      const { expect, time } = context;
      const times = time.choose({ virtual: ["an empty queue", "again"], real: ["an empty queue"] });
      for (const at of times) {
        const purge = await context.endpoint.purge();
        expectRemoved(expect, purge, { count: 0, at });
        expectLetIn(expect.of("AUTH-03"), purge, `purge-queue of ${at} with the bare key`);
      }
    },
  },
  {
    name: "purge/only-finished-and-running-jobs",
    title:
      "with finished jobs and a retried one in progress, but none waiting, a purge removes 0 and stops none",
    covers: ["PURG-04", "PURG-03", "AUTH-04", "POLI-04"],
    needs: ["slow"],
    slowMs: 6000,
    realTimeMs: 16_000,
    exclusive: true,
    purges: 1,
    run: async (context) => {
      const { api, time, offers, expect } = context;
      if (offers("quick")) await runToCompletion(context);
      await runToFailureIfOffered(context);
      const base = await readCounts(context);
      const job = await runToTimeout(context);
      await expectFreed(context, base);
      await awaitRateLimitSlot(context, "purge-queue");
      await expectEmptyQueue(context);
      const retriedAt = time.now();
      await retryJob(context, job);
      await waitUntilInProgress(context, job);
      const purge = await api.with({ scheme: "bearer" }).purgeQueue();
      expectRemoved(expect, purge, { count: 0, at: "one job in progress" });
      expectLetIn(expect.of("AUTH-04"), purge, "purge-queue with Bearer and the key");
      const state = stateOf(await api.status(job.id));
      requireYounger(context, retriedAt, shortestTimeoutMs);
      expect.of("PURG-03").equal(state, "IN_PROGRESS", "status after the purge");
      await api.cancel(job.id);
    },
  },
  {
    name: "purge/purged-job-reading",
    title: "a purged job is unknown, or shown as ended",
    covers: ["PURG-06"],
    needs: ["quick", "slow"],
    slowMs: 4000,
    stalls: true,
    purges: 1,
    run: async (context) => {
      const { api, time, workers, expect } = context;
      await workers.whileStalled(async () => {
        const job = await submitJob(context, context.jobs.quick("purged"));
        const purge = await context.endpoint.purge();
        if (!isSuccess(answerOf(purge)))
          throw new Inconclusive("the purge this check needs was not accepted", ["PURG-01"]);
        await time.settle();
        expect.reading(readingOf(await api.status(job.id)), "status of a purged job");
      });
    },
  },
];

/** Expects the worker of a job that has timed out to be free: not at work, and ready to take the next job. */
async function expectFreed(context: CheckContext, base: HealthCounts): Promise<void> {
  const { jobs, offers } = context;
  const expect = context.expect.of("POLI-04");
  // A handler of somebody's own may go on for as long as its job works, and what it makes is dropped.
  const withinMs = offers("handler") ? workerFreeMsMax : jobs.lengthOf(shortestTimeoutMs).atMostMs;
  const { running } = await waitForCounts(context, base, { running: 0 }, withinMs);
  expect.equal(running, base.running, "workers that process a job when one has timed out");
  if (!offers("handler")) return;
  const waiting = await jobsNoIdleWorkerTakes(context);
  expect.equal(waiting, 0, "jobs that wait beside an idle worker when one has timed out");
}

/** Submits `count` jobs, and expects a purge to count exactly those. */
async function expectCounted(context: CheckContext, count: number): Promise<void> {
  for (let job = 0; job < count; job += 1) await submitJob(context, context.jobs.quick(job));
  const exchange = await context.api.purgeQueue();
  const id = count === 0 ? "PURG-04" : "PURG-01";
  expectRemoved(context.expect.of(id), exchange, { count, at: `${count} waiting` });
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
  const expected = `2xx with removed ${count} and status completed`;
  expect.that(holds, { at, expected, got: describeAnswer(answer) });
}

/** @throws Inconclusive where other jobs go on waiting on the endpoint: a purge would count them, too */
async function expectEmptyQueue(context: CheckContext): Promise<void> {
  const waiting = await context.time.until(
    async () => countQueuedJobs(context),
    (jobs) => jobs === 0,
  );
  if (waiting > 0) throw new Inconclusive(`${waiting} other jobs wait in the queue`);
}

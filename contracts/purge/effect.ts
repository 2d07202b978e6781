import { runToTimeout } from "../../harness/jobs/endings.ts";
import {
  expectNot,
  expectFreeWorker,
  waitUntilOverWithin,
  unfinishedOrCompleted,
  expectCompletion,
} from "../../harness/jobs/job-state.ts";
import {
  runToEnd,
  sendHeldRunsync,
  startJob,
  submitOperations,
  submitOperationsOf,
  submitJobBy,
} from "../../harness/jobs/submit.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import { answerOf, isSuccess, readBody } from "../../harness/read.ts";
import {
  runToCompletion,
  waitForEnd,
  readJob,
  submitJob,
  retryJob,
} from "../../harness/jobs/fixtures.ts";
import { stateOf, lastingFields } from "../../harness/record.ts";
import { awaitRateLimitSlot } from "../../harness/endpoint/rate-limit-slot.ts";
import { requireYounger } from "../../harness/endpoint/time.ts";
import { runToFailureIfOffered, expectOutput } from "../../harness/jobs/offered-jobs.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { Check } from "../../harness/check.ts";
import type { LooseRecord } from "../../harness/record.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { StreamReads, expectStreamGives } from "../stream/chunks.ts";
import { webhookFor } from "../webhook/calls.ts";
import { runToFailureBy } from "../retry/endings.ts";

/** Checks of what a purge does and what it leaves alone (PURG-02, PURG-03, PURG-05). */
export const purgeEffectChecks: readonly Check[] = [
  {
    name: "purge/purged-jobs-are-never-processed",
    title: "no job that waited when the queue was purged is ever processed",
    covers: ["PURG-02"],
    needs: ["quick", "slow"],
    slowMs: 7000,
    realTimeMs: 12_000,
    stalls: true,
    purges: 1,
    run: async (context) => {
      const { api, time, workers, offers } = context;
      const workMs = time.choose({ virtual: 60_000, real: 2000 });
      // Where jobs are exact, its second attempt would complete.
      const failed = offers("failing")
        ? [await runToFailureBy(context, context.jobs.failingFirst(1, "again"))]
        : [];
      const jobs = await workers.whileStalled(async () => {
        const waiting: SubmittedJob[] = [];
        for (const by of submitOperationsOf(context)) {
          waiting.push(await submitJobBy(context, context.jobs.slow(workMs), { by }));
          waiting.push(await submitJobBy(context, context.jobs.quick("purged"), { by }));
        }
        waiting.push(...(await submitMarked(context)));
        const extra = { policy: { lowPriority: true } };
        waiting.push(await submitJob(context, context.jobs.slow(workMs), extra));
        for (const broken of failed) await retryJob(context, broken);
        expectPurged(await context.endpoint.purge());

        await expectNotProcessed(context, waiting, "right after the purge");
        return waiting;
      });
      await expectFreeWorker(context, "a quick job, submitted after the purge");
      await expectNotProcessed(context, jobs, "when workers are free");
      await time.pass(context.jobs.usualMs(workMs) + 1);
      await expectNotProcessed(context, jobs, "when their work would have ended");
      for (const broken of failed) {
        const state = stateOf(await api.status(broken.id));
        expectNot(context, state, unfinishedOrCompleted, "a retried job, purged");
      }
    },
  },
  {
    name: "purge/waiting-runsync",
    title: "a runsync whose job is purged while it waits is not answered COMPLETED",
    covers: ["PURG-02"],
    needs: ["handler", "clock"],
    exclusive: true,
    run: async (context) => {
      const held = await context.workers.whileStalled(async () => {
        const body = { input: context.jobs.quick("purged") };
        const request = await sendHeldRunsync(context, body, 2000);
        expectPurged(await context.endpoint.purge());
        return request;
      });
      if (!held.isAnswered()) await context.time.pass(2001);
      expectNot(context, stateOf(await held.answer), ["COMPLETED"], "the answer of runsync");
    },
  },
  {
    name: "purge/submitted-after-the-purge",
    title: "a job that is submitted after a purge waits, and is processed as any other",
    covers: ["PURG-02"],
    needs: ["quick", "slow"],
    slowMs: 5000,
    stalls: true,
    purges: 1,
    run: async (context) => {
      const { api, workers, expect } = context;
      const { job, later } = await workers.whileStalled(async () => {
        const queued = await submitJob(context, context.jobs.slow(60_000));
        expectPurged(await context.endpoint.purge());
        const next = await submitJob(context, context.jobs.quick("later"));
        const state = stateOf(await api.status(next.id));
        expect.equal(state, "IN_QUEUE", "status before a worker is free");
        return { job: queued, later: next };
      });
      await expectCompletion(context, later, "status of a job submitted after the purge");
      await expectNotProcessed(context, [job], "after that");
    },
  },
  {
    name: "purge/in-progress-keeps-running",
    title: "jobs in progress keep running through a purge and complete when they would have",
    covers: ["PURG-03"],
    needs: ["quick", "slow"],
    slowMs: 5000,
    realTimeMs: 13_000,
    exclusive: true,
    purges: 1,
    endpoint: { workers: 3 },
    run: async (context) => {
      const { api, time, expect } = context;
      const workMs = 5000;
      const { atLeastMs, atMostMs } = context.jobs.lengthOf(workMs);
      await awaitRateLimitSlot(context, "purge-queue");
      const health = readBody(await api.health(), "HealthAnswer");
      const idle = health.ok ? health.body.workers.idle : Number.POSITIVE_INFINITY;
      const streaming = await startJob(context, context.jobs.slowYielding(5, 1000));
      const jobs = [];
      for (const by of submitOperations.slice(0, Math.max(0, idle - 1))) {
        const input = context.jobs.slow(workMs, by);
        jobs.push({ by, input, job: await startJob(context, input, { by }) });
      }
      await submitJob(context, context.jobs.quick("waiting"));
      await time.pass(1500);
      expectPurged(await context.api.purgeQueue());
      const state = stateOf(await api.status(streaming.id));
      requireYounger(context, streaming.startedAt, atLeastMs);
      expect.equal(state, "IN_PROGRESS", "status right after the purge");
      for (const { by, input, job } of jobs) {
        const record = expect.record(await waitUntilOverWithin(context, job.id, atMostMs), by);
        expect.equal(record.status, "COMPLETED", `${by}, status when its work is done`);
        expectOutput(context, record["output"], { input, at: `${by}, output` });
      }
      const over = await waitUntilOverWithin(context, streaming.id, atMostMs);
      const record = expect.record(over, "a stream");
      if (!context.jobs.exact) return;
      const chunks = [0, 1, 2, 3, 4].map((index) => ({ index }));
      expect.equal(record["output"], chunks, "output of a job that streams");
      const reads = new StreamReads(api, streaming.id);
      await reads.readAll(time, chunks.length);
      expect.equal(reads.latest, chunks, "stream of that job");
    },
  },
  {
    name: "purge/finished-jobs-untouched",
    title: "a purge leaves the record of every finished job as it was",
    covers: ["PURG-05"],
    needs: ["quick", "slow"],
    slowMs: 6000,
    realTimeMs: 14_000,
    stalls: true,
    purges: 1,
    run: async (context) => {
      const { api, time, workers, expect } = context;
      const timedOut = await runToTimeout(context);
      const stopped = await startJob(context, context.jobs.slow(60_000));
      await api.cancel(stopped.id);
      const cancelled = await waitForEnd(context, stopped);
      const jobs = [
        timedOut,
        cancelled,
        ...(await runToFailureIfOffered(context)),
        await runToCompletion(context, [1, 2]),
      ];
      // On a real clock the result of a runsync may be gone before the purge is sent.
      for (const value of time.choose({ virtual: ["sync"], real: [] })) {
        jobs.push(await runToEnd(context, context.jobs.quick(value), { by: "runsync" }));
      }
      const streams = await streamedJobs(context);
      const before = new Map<string, LooseRecord>();
      for (const { id } of jobs) before.set(id, await readJob(context, id));
      await workers.whileStalled(async () => {
        await submitJob(context, context.jobs.quick("waiting"));
        expectPurged(await context.endpoint.purge());
        for (const [id, record] of before) {
          const at = `the record of a ${record.status} job`;
          const after = expect.record(await api.status(id), at);
          expect.equal(lastingFields(after), lastingFields(record), at);
        }
      });
      for (const { reads, record } of streams) {
        const at = "stream of a completed job after the purge";
        await expectStreamGives(context, reads, { count: chunkCount, record, at });
      }
    },
  },
  {
    name: "purge/other-endpoints-queue-untouched",
    title: "a purge leaves the queue of another endpoint alone",
    covers: ["PURG-05"],
    needs: ["handler", "workers", "endpoints"],
    run: async (context) => {
      const { workers, expect } = context;
      const other = await context.anotherEndpoint();
      const theirs = await other.workers.whileStalled(async () => {
        const jobs = [
          await submitJob(other, context.jobs.quick("theirs")),
          await submitJobBy(other, context.jobs.quick("theirs"), { by: "runsync" }),
        ];
        await workers.whileStalled(async () => {
          await submitJob(context, context.jobs.quick("ours"));
          expectPurged(await context.endpoint.purge());
        });
        for (const { id } of jobs) {
          const state = stateOf(await other.api.status(id));
          expect.equal(state, "IN_QUEUE", "status of another endpoint's job after the purge");
        }
        return jobs;
      });
      for (const { id } of theirs) {
        const state = stateOf(await waitUntilOverWithin(other, id));
        expect.equal(state, "COMPLETED", "status after a worker took it");
      }
    },
  },
];

/** Submits a job with a webhook, where the target can call one, and one whose ttl is set by status. */
async function submitMarked(context: CheckContext): Promise<readonly SubmittedJob[]> {
  const { api, jobs } = context;
  const hooked = await submitJob(context, jobs.quick("purged"), await webhookFor(context));
  const read = await submitJob(context, jobs.quick("purged"));
  await api.status(read.id, { ttl: 600_000 });
  return [hooked, read];
}

/** How many chunks the jobs of `streamedJobs` are asked for. */
const chunkCount = 2;

interface StreamedJob {
  readonly reads: StreamReads;
  /** How it ended. */
  readonly record: LooseRecord;
}

/** Completes two jobs that stream, where jobs can be asked to, and reads the stream of the first. */
async function streamedJobs(context: CheckContext): Promise<readonly StreamedJob[]> {
  const { api, time, jobs, offers } = context;
  const streams: StreamedJob[] = [];
  for (const isRead of offers("streaming") ? [true, false] : []) {
    const input = jobs.streaming(chunkCount, 0);
    const { id, record } = await runToEnd(context, input);
    const reads = new StreamReads(api, id);
    if (isRead) await reads.readAll(time, jobs.chunksAtLeast(chunkCount));
    streams.push({ reads, record });
  }
  return streams;
}

/** @throws Inconclusive where the purge was not accepted: then its effect cannot be seen */
function expectPurged(exchange: Exchange): void {
  const answer = answerOf(exchange);
  if (!isSuccess(answer)) throw new Inconclusive(`purge-queue answered ${answer.status}`);
}

async function expectNotProcessed(
  context: CheckContext,
  jobs: readonly SubmittedJob[],
  at: string,
): Promise<void> {
  for (const { id } of jobs) {
    const state = stateOf(await context.api.status(id));
    expectNot(context, state, unfinishedOrCompleted, `status of a purged job ${at}`);
  }
}

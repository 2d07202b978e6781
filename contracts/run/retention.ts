import { runAfterStall, waitForCompletion } from "../../harness/jobs/endings.ts";
import { runToCompletion, waitForEnd, submitJob } from "../../harness/jobs/fixtures.ts";
import { runToEnd } from "../../harness/jobs/submit.ts";
import {
  expectKept,
  expectKeptUntil,
  expectGoneAfter,
  retentionMs,
} from "../../harness/jobs/retention.ts";
import { statusAfter } from "../../harness/jobs/job-state.ts";
import { runToFailureIfOffered } from "../../harness/jobs/offered-jobs.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { FinishedJob } from "../../harness/jobs/fixtures.ts";
import { endAgain, runToFailureBy } from "../retry/endings.ts";

const minuteMs = 60_000;
/** How long the result of a run job is kept (RUNA-04). */
const keptMs = retentionMs.run;
/** How long a job waits or works, so that its completion is far from its submission and from its start. */
const delayedMs = 4 * minuteMs;
/** A minute before and after the end of retention: other checks judge at which millisecond it ends. */
const stillKeptMs = keptMs - minuteMs;
const surelyGoneMs = keptMs + minuteMs;
/** Before the end that retention would have if the first read, a minute after completion, had prolonged it. */
const unprolongedMs = keptMs + minuteMs / 2;
/** The shortest executionTimeout (POLI-01). */
const timeoutMs = 5000;

/** Checks of how long the result of a run job is kept (RUNA-04 to RUNA-07). */
export const runRetentionChecks: readonly Check[] = [
  {
    name: "run/result-kept-30-minutes",
    title: "a job that run submitted can be read until 30 minutes after it ended",
    covers: ["RUNA-04"],
    needs: ["quick"],
    run: async (context) => {
      for (const [at, job] of [
        ...(await endedJobs(context)),
        ...(await outputsOfOtherKinds(context)),
      ]) {
        await expectKeptUntil(context, job, keptMs, `${at}, just within 30 minutes`);
      }
    },
  },
  {
    name: "run/result-kept-after-a-retry",
    title: "a run job that completed on its second attempt can be read until 30 minutes after that",
    covers: ["RUNA-04"],
    run: async (context) => {
      const { api, time } = context;
      const broken = await runToEnd(context, context.jobs.failingFirst(1, "retried"));
      await statusAfter(context, broken.id, broken.finishedAt, minuteMs);
      const { at: submittedAt } = await time.observe(async () => api.retry(broken.id));
      const job = await waitForEnd(context, { id: broken.id, submittedAt });
      await expectKeptUntil(context, job, keptMs, "just within 30 minutes");
    },
  },
  {
    name: "run/result-kept-whatever-ttl-is-read",
    title: "a ttl given when a finished job is read does not shorten how long its result is kept",
    covers: ["RUNA-04"],
    needs: ["quick"],
    run: async (context) => {
      const { api, expect } = context;
      const job = await runToCompletion(context);
      expectKept(expect, await api.status(job.id, { ttl: 6000 }), { job, at: "read with a ttl" });
      const failed = await runToFailureIfOffered(context);
      for (const { id } of failed) await api.status(id, { ttl: 6000 });
      for (const afterMs of [6000, 10_000]) {
        for (const each of [job, ...failed]) {
          const exchange = await statusAfter(context, each.id, each.finishedAt, afterMs);
          const at = `${afterMs} ms after a ttl of 6000 was read`;
          expectKept(expect, exchange, { job: each, at });
        }
      }
      await expectKeptUntil(context, job, keptMs, "just within 30 minutes");
    },
  },
  {
    name: "run/data-gone-after-30-minutes",
    title: "30 minutes after a job of run has ended no operation finds it any more",
    covers: ["RUNA-05"],
    needs: ["quick"],
    run: async (context) => {
      const { api, expect } = context;
      const streamed = (await streamedIfOffered(context)).map((job) => ["streamed", job] as const);
      for (const [at, job] of [...(await endedJobs(context)), ...streamed]) {
        await expectGoneAfter(context, job, keptMs, `${at}: status`);
        expect.refused(await api.stream(job.id), `${at}: stream`);
        expect.refused(await api.cancel(job.id), `${at}: cancel`);
        expect.refused(await api.retry(job.id), `${at}: retry`);
        expect.refused(await api.status(job.id), `${at}: status after all of them`);
      }
    },
  },
  {
    name: "run/retention-starts-after-the-queue",
    title: "the 30 minutes of a job that waited long in the queue start when it ends",
    covers: ["RUNA-06"],
    stalls: true,
    run: async (context) => {
      const ended = await runAfterStall(context, async () => {
        const echo = await submitJob(context, context.jobs.quick("waited"));
        const failing = await submitJob(context, context.jobs.failing("waited"));
        await context.time.pass(delayedMs);
        return [echo, failing];
      });
      for (const job of ended) {
        const at = `${job.record.status}, 29 minutes after its end`;
        await expectKeptUntil(context, job, stillKeptMs, at);
      }
      for (const job of ended) {
        const at = `${job.record.status}, 31 minutes after its end`;
        await expectGoneAfter(context, job, surelyGoneMs, at);
      }
    },
  },
  {
    name: "run/retention-starts-after-the-work",
    title: "the 30 minutes of a job that worked for long start when it ends",
    covers: ["RUNA-06"],
    needs: ["handler"],
    run: async (context) => {
      const sleeping = await submitJob(context, context.jobs.slow(delayedMs, "worked"));
      const job = await waitForCompletion(context, sleeping, delayedMs);
      await expectKeptUntil(context, job, stillKeptMs, "29 minutes after its end");
      await expectGoneAfter(context, job, surelyGoneMs, "31 minutes after its end");
    },
  },
  {
    name: "run/reading-prolongs-nothing",
    title: "a result that is read again and again is gone after 30 minutes as any other",
    covers: ["RUNA-07"],
    needs: ["quick"],
    run: async (context) => {
      const { api, time } = context;
      const plainly = async ({ id }: FinishedJob) => api.status(id);
      const withTtl = async ({ id }: FinishedJob) => api.status(id, { ttl: 3_600_000 });
      const withRetry = async ({ id }: FinishedJob) => api.retry(id);
      const withCancel = async ({ id }: FinishedJob) => api.cancel(id);
      const failed = await runToFailureIfOffered(context);
      const failedToo = await runToFailureIfOffered(context);
      const rows = [
        { job: await runToCompletion(context), look: plainly, way: "read plainly" },
        { job: await runToCompletion(context), look: withTtl, way: "read with a ttl of an hour" },
        ...failed.map((job) => ({ job, look: plainly, way: "failed and read plainly" })),
        { job: await runToCompletion(context), look: withCancel, way: "cancelled too late" },
        ...failedToo.map((job) => ({ job, look: withCancel, way: "failed, cancelled too late" })),
        { job: await runToCompletion(context), look: withRetry, way: "retried in vain" },
        ...(await streamedIfOffered(context)).map((job) => ({
          job,
          look: plainly,
          way: "streamed, and its stream read",
        })),
        ...(await retriedIfOffered(context)).map((job) => ({
          job,
          look: plainly,
          way: "completed after a retry and read plainly",
        })),
      ];
      for (const minutes of [1, 10, 29]) {
        for (const { job, look } of rows) {
          await time.after(job.finishedAt, minutes * minuteMs, async () => look(job));
          if (look !== withCancel) await api.stream(job.id);
        }
      }
      for (const { job, look } of rows) {
        // On a real clock a change waits for the changes of other checks, and may come too late.
        const last = time.choose({ virtual: look, real: plainly });
        await time.before(job.finishedAt, keptMs, async () => last(job));
      }
      for (const { job, way } of rows) {
        await expectGoneAfter(context, job, unprolongedMs, way);
      }
    },
  },
];

/** A job that completed after a retry, where failing jobs that do so are offered. */
async function retriedIfOffered(context: CheckContext): Promise<readonly FinishedJob[]> {
  if (!context.offers("handler")) return [];
  const failed = await runToFailureBy(context, context.jobs.failingFirst(1, "retried"));
  return [await endAgain(context, failed)];
}

/** A job that streamed before it completed, where such jobs are offered. */
async function streamedIfOffered(context: CheckContext): Promise<readonly FinishedJob[]> {
  if (!context.offers("streaming")) return [];
  return [await runToEnd(context, context.jobs.streaming(2, 0))];
}

/** Finished jobs, one for each way to end without a cancel, in the order in which they ended. */
async function endedJobs(
  context: CheckContext,
): Promise<readonly (readonly [string, FinishedJob])[]> {
  const timedOut = context.offers("slow") ? [await timedOutJob(context)] : [];
  return [
    ...timedOut.map((job) => ["timed out", job] as const),
    ["completed", await runToCompletion(context, { kept: ["all", "of", "it"] })],
    ...(await runToFailureIfOffered(context)).map((job) => ["failed", job] as const),
  ];
}

/** Completed jobs whose outputs are kept in another way by some: a list, and more than a megabyte. */
async function outputsOfOtherKinds(
  context: CheckContext,
): Promise<readonly (readonly [string, FinishedJob])[]> {
  if (!context.jobs.exact) return [];
  const streamed = await runToEnd(context, context.jobs.streaming(2, 0));
  await context.api.stream(streamed.id);
  return [
    ["completed with a list, and its stream read", streamed],
    ["completed with a large output", await runToCompletion(context, "large".repeat(220_000))],
  ];
}

async function timedOutJob(context: CheckContext): Promise<FinishedJob> {
  const policy = { executionTimeout: timeoutMs };
  const slow = await submitJob(context, context.jobs.slow(10 * timeoutMs), { policy });
  return waitForCompletion(context, slow, timeoutMs);
}

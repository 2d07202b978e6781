import { windowMs } from "../../openapi/operations.ts";
import { isOver, unfinishedOrCompleted } from "../../harness/jobs/job-state.ts";
import { readRecord, stateOf } from "../../harness/record.ts";
import { show } from "../../harness/show.ts";
import { submitJob } from "../../harness/jobs/fixtures.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import { recordIn, requireCountableCalls } from "../webhook/calls.ts";
import { inBatches } from "../../harness/jobs/in-batches.ts";
import { cancelMany, healthOf, statesOf, submitMany } from "./volume.ts";

/** More than a byte can count, and more than a usual batch holds. */
const completedJobs = 262;
/** More than a page, a batch or a queue of a fixed size usually holds. Half of it is below the limit on run. */
const jobsToPurge = 1010;
const jobsWithWebhook = 130;
const workers = 42;
const needs = ["handler", "workers", "endpoints", "clock"] as const;

/** Checks of faults that only many jobs of one endpoint show. */
export const manyJobsChecks: readonly Check[] = [
  {
    name: "purge/of-many",
    title: "more than a thousand waiting jobs are all counted, and all purged",
    covers: ["PURG-01", "PURG-02", "CANC-01", "HLTH-02"],
    needs,
    endpoint: { workers: 0 },
    run: async (context) => {
      const { expect, endpoint, time } = context;
      const before = await healthOf(context);
      const half = { count: jobsToPurge / 2, input: context.jobs.quick };
      const first = await submitMany(context, half);
      // After two windows the full limit is there again, whatever the kind of limiter (RATE-09).
      await time.pass(2 * windowMs + 1);
      const jobs = [...first, ...(await submitMany(context, half))];
      const waiting = (await healthOf(context)).jobs.inQueue - before.jobs.inQueue;
      expect.of("HLTH-02").equal(waiting, jobsToPurge, "growth of inQueue");
      const last = jobs.slice(-1);
      await cancelMany(context, last);
      const { removed } = expect.body(await endpoint.purge(), "PurgeAnswer");
      expect.of("PURG-01").equal(removed, jobsToPurge - 1, "removed");
      await context.workers.set(1);
      const after = await healthOf(context);
      expect.of("HLTH-02").equal(after.jobs.inQueue, 0, "inQueue after the purge");
      const grown = after.jobs.completed - before.jobs.completed;
      expect.of("PURG-02").equal(grown, 0, "growth of completed once a worker was free");
      const { COMPLETED = 0 } = await statesOf(
        context,
        jobs.filter((_, at) => at % 60 === 59),
      );
      expect.of("PURG-02").equal(COMPLETED, 0, "purged jobs that completed");
      const states = await statesOf(context, last);
      expect.of("CANC-01").equal(states, { CANCELLED: 1 }, "a job cancelled behind all others");
    },
  },
  {
    name: "states/hundreds-complete",
    title:
      "hundreds of jobs complete with their own outputs, are counted, call webhooks and are kept",
    covers: [
      "LIFE-08",
      "LIFE-03",
      "SUBM-05",
      "SUBM-08",
      "STAT-02",
      "HLTH-02",
      "STAT-03",
      "HLTH-03",
      "HOOK-01",
      "RUNA-04",
      "RUNA-05",
    ],
    needs: [...needs, "webhook"],
    endpoint: { workers: 0 },
    run: async (context) => {
      const { expect, time } = context;
      const before = await healthOf(context);
      const hook = (await context.receiver()).hook();
      const jobs = await submitMany(context, {
        count: completedJobs,
        input: context.jobs.quick,
        extra: (at) => (at < jobsWithWebhook ? { webhook: hook.url } : {}),
      });
      const ids = new Set(jobs.map(({ id }) => id)).size;
      expect.of("SUBM-05").equal(ids, completedJobs, "different ids of hundreds of jobs");
      await time.pass(1000);
      const waiting = (await healthOf(context)).jobs.inQueue - before.jobs.inQueue;
      expect.of("HLTH-02").equal(waiting, completedJobs, "growth of inQueue");
      await context.workers.set(workers);
      const after = await healthOf(context);
      const { completed } = after.jobs;
      expect
        .of("HLTH-03")
        .equal(completed - before.jobs.completed, completedJobs, "growth of completed");
      expect.of("LIFE-03").equal(after.jobs.inQueue, 0, "jobs that wait while workers are free");
      await expectOutputs(context, jobs, 0);
      await time.pass(29 * 60_000);
      // A call that a busy receiver was slow to answer is made again.
      const called = new Set(hook.attempts.map((attempt) => recordIn(attempt)?.["id"])).size;
      if (called < jobsWithWebhook) await requireCountableCalls(context, hook);
      expect.of("HOOK-01").equal(called, jobsWithWebhook, "jobs that called their webhook");
      await expectOutputs(context, jobs.slice(-20), completedJobs - 20);
      const oldest = await statesOf(context, jobs.slice(0, 20));
      expect.of("RUNA-04").equal(oldest, { COMPLETED: 20 }, "the oldest results after 29 minutes");
      await time.pass(2 * 60_000);
      const every2nd = jobs.filter((_, at) => at % 2 === 1);
      const { COMPLETED: left = 0 } = await statesOf(context, every2nd);
      expect.of("RUNA-05").equal(left, 0, "results that are left after 31 minutes");
    },
  },
  {
    name: "states/many-at-once",
    title:
      "many jobs are in progress, time out, are cancelled, expire, fail and are retried at once",
    covers: [
      "LIFE-03",
      "HLTH-02",
      "HLTH-03",
      "HLTH-04",
      "HLTH-05",
      "CANC-02",
      "CANC-04",
      "POLI-04",
      "POLI-08",
      "RETR-01",
      "RETR-03",
    ],
    needs,
    endpoint: { workers },
    run: async (context) => {
      await expectTimeouts(context);
      await expectCancels(context);
      await expectFailures(context);
      await expectExpiries(context);
    },
  },
  {
    name: "retry/a-dozen-times",
    title: "a job that fails again and again can be retried each time",
    covers: ["RETR-01"],
    needs: ["handler", "clock"],
    run: async (context) => {
      const { api, time, expect } = context;
      const job = await submitJob(context, context.jobs.failing("always"));
      for (let attempt = 1; attempt <= 12; attempt += 1) {
        await time.until(async () => api.status(job.id), isOver);
        const { id, status } = expect.record(await api.retry(job.id), `retry ${attempt}`);
        expect.equal({ id, status }, { id: job.id, status: "IN_QUEUE" }, `retry ${attempt}`);
      }
    },
  },
  {
    name: "stream/over-a-thousand-chunks",
    title: "more than a thousand chunks arrive, in order and once",
    covers: ["STRM-02"],
    needs: ["handler", "clock"],
    run: async (context) => {
      const { api, time, expect } = context;
      const count = 1100;
      const job = await submitJob(context, context.jobs.streaming(count, 1));
      await time.pass(count + 1);
      const indexes: unknown[] = [];
      for (let reads = 0; reads < 20 && indexes.length < count; reads += 1) {
        const chunks = expect.body(await api.stream(job.id), "StreamAnswer");
        if (chunks.length === 0) break;
        indexes.push(...chunks.map(({ output }) => output["index"]));
      }
      expect.equal(indexes.length, count, "chunks that arrived");
      const wrong = indexes.findIndex((index, at) => index !== at);
      expect.equal(wrong, -1, "the place of the first chunk that is not in order");
    },
  },
];

async function expectOutputs(
  { api, expect, jobs: kinds }: CheckContext,
  jobs: readonly SubmittedJob[],
  first: number,
): Promise<void> {
  const records = await inBatches(jobs, async ({ id }) => readRecord(await api.status(id)));
  const completed = records.flatMap((read) =>
    read.ok && read.body.status === "COMPLETED" ? [read.body] : [],
  );
  expect.of("LIFE-08").equal(completed.length, jobs.length, "accepted jobs that completed");
  for (const [index, read] of records.entries()) {
    const at = first + index;
    if (!read.ok || read.body.status !== "COMPLETED") continue;
    const { output } = read.body;
    const isThere = output !== undefined && output !== null;
    const words = { at: `job ${at}`, expected: "its output", got: "none" };
    if (!expect.of("STAT-02").that(isThere, words)) continue;
    const isTimed = Number.isInteger(read.body["executionTime"]);
    expect.of("STAT-03").that(isTimed, { ...words, expected: "its executionTime" });
    const wanted = kinds.outputOf(kinds.quick(at))?.output;
    const holds = JSON.stringify(output) === JSON.stringify(wanted);
    expect.of("SUBM-08").that(holds, {
      at: `the output of job ${at}`,
      expected: show(wanted),
      got: show(output),
    });
  }
}

const timingOut = () => ({ policy: { executionTimeout: 5000 } });
const expiring = () => ({ policy: { ttl: 10_000 } });

/** Expects one job for each worker to be in progress at once, and all of them to time out. */
async function expectTimeouts(context: CheckContext): Promise<void> {
  const { expect, time } = context;
  const input = () => context.jobs.slow(60_000);
  const jobs = await submitMany(context, { count: workers, input, extra: timingOut });
  const { jobs: counts, workers: busy } = await healthOf(context);
  const states = await statesOf(context, jobs);
  expect.of("LIFE-03").equal(states, { IN_PROGRESS: workers }, "jobs with a worker for each");
  expect.of("HLTH-02").equal(counts.inProgress, workers, "inProgress");
  expect.of("HLTH-05").equal(busy, { ...busy, idle: 0, running: workers }, "workers at work");
  await time.pass(5001);
  const ended = await statesOf(context, jobs);
  expect.of("POLI-04").equal(ended, { TIMED_OUT: workers }, "after their executionTimeout");
  const { running } = (await healthOf(context)).workers;
  expect.of("POLI-04").equal(running, 0, "workers that run after all have timed out");
}

async function expectCancels(context: CheckContext): Promise<void> {
  const { expect } = context;
  const input = () => context.jobs.slow(60_000);
  const jobs = await submitMany(context, { count: workers, input });
  await cancelMany(context, jobs);
  const { inProgress } = (await healthOf(context)).jobs;
  expect.of("CANC-02").equal(inProgress, 0, "inProgress once all were cancelled");
  const { running, idle } = (await healthOf(context)).workers;
  expect.of("CANC-02").equal({ running, idle }, { running: 0, idle: workers }, "free workers");
  const states = await statesOf(context, jobs);
  expect.of("CANC-04").equal(states, { CANCELLED: workers }, "cancelled jobs");
}

const failing = 105;
const retried = 60;

async function expectFailures(context: CheckContext): Promise<void> {
  const { expect } = context;
  const before = await healthOf(context);
  const input = () => context.jobs.failingFirst(1, "again");
  const jobs = await submitMany(context, { count: failing, input });
  const failed = (await healthOf(context)).jobs.failed - before.jobs.failed;
  expect.of("HLTH-03").equal(failed, failing, "growth of failed");
  await context.workers.set(0);
  const again = jobs.slice(0, retried);
  const answers = await inBatches(again, async ({ id }) => stateOf(await context.api.retry(id)));
  const refused = answers.filter((state) => state !== "IN_QUEUE");
  expect.of("RETR-01").equal(refused, [], "answers to retries that are not IN_QUEUE");
  const waiting = await healthOf(context);
  const counted = waiting.jobs.retried - before.jobs.retried;
  expect.of("HLTH-04").equal(counted, retried - refused.length, "growth of retried");
  await context.workers.set(workers);
  await healthOf(context);
  const states = await statesOf(context, again);
  const { COMPLETED: completed = 0 } = states;
  const accepted = retried - refused.length;
  expect.of("RETR-03").equal(completed, accepted, "retried jobs that completed");
}

/** Expects jobs without a worker to expire, and never to be processed. */
async function expectExpiries(context: CheckContext): Promise<void> {
  const { api, expect, time } = context;
  await context.workers.set(0);
  const jobs = await submitMany(context, { count: 62, input: context.jobs.quick, extra: expiring });
  await time.pass(10_001);
  const { inQueue } = (await healthOf(context)).jobs;
  expect.of("HLTH-02").equal(inQueue, 0, "inQueue once all have expired");
  await context.workers.set(workers);
  await time.settle();
  const states = await inBatches(jobs, async ({ id }) => stateOf(await api.status(id)));
  const wrong = states.filter((state) => unfinishedOrCompleted.includes(state));
  expect.of("POLI-08").equal(wrong, [], "expired jobs that wait, work or completed");
}

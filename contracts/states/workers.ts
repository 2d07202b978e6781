import {
  requireRead,
  waitForEnd,
  waitUntilReadable,
  submitJob,
} from "../../harness/jobs/fixtures.ts";
import { requireYounger } from "../../harness/endpoint/time.ts";
import { inputs } from "../../harness/inputs/conformance-jobs.ts";
import {
  isOver,
  waitUntilOverWithin,
  statusAfter,
  expectCompletion,
} from "../../harness/jobs/job-state.ts";
import { readRecord } from "../../harness/record.ts";
import type { Check } from "../../harness/check.ts";
import type { Jobs } from "../../harness/inputs/jobs.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { CheckContext } from "../../harness/check-context.ts";

const workMs = 3000;

interface Freeing {
  readonly label: string;
  readonly submission: (jobs: Jobs) => Readonly<Record<string, unknown>>;
  readonly needsCrash?: boolean;
  readonly end: (context: CheckContext, job: SubmittedJob) => Promise<unknown>;
}

/** How a worker gets free: after each of these endings it has to take the next job. */
const freeings: readonly Freeing[] = [
  {
    label: "completed",
    submission: (jobs) => ({ input: jobs.slow(workMs) }),
    end: async (context, job) => waitForEnd(context, job, workMs),
  },
  {
    label: "failed",
    submission: (jobs) => ({ input: jobs.failing("asked to") }),
    end: async (context, job) => waitForEnd(context, job),
  },
  {
    label: "timed-out",
    submission: (jobs) => ({ input: jobs.slow(60_000), policy: { executionTimeout: 5000 } }),
    end: async (context, job) => waitForEnd(context, job, 5001),
  },
  {
    label: "cancelled",
    submission: (jobs) => ({ input: jobs.slow(60_000) }),
    end: async ({ api }, job) => api.cancel(job.id),
  },
  {
    label: "expired",
    // The handler may go on to its end, though nobody waits for it any more.
    submission: (jobs) => ({ input: jobs.slow(12_000), policy: { ttl: 10_000 } }),
    end: async (context, { id, submittedAt }) => statusAfter(context, id, submittedAt, 12_000),
  },
  {
    label: "crashed",
    submission: () => ({ input: inputs.crash() }),
    needsCrash: true,
    end: async (context, job) => waitForEnd(context, job, 60_000),
  },
];

/** Checks that workers take waiting jobs, and only workers do (LIFE-03). */
export const workerChecks: readonly Check[] = [
  {
    name: "states/no-worker",
    title: "with no worker at all jobs stay IN_QUEUE, and each is processed once there is one",
    covers: ["LIFE-03"],
    exclusive: true,
    run: async (context) => {
      const { time, workers } = context;
      await workers.set(0);
      const jobs = await submitMany(context, 3, context.jobs.quick("waits"));
      expectWaiting(context, await statesOf(context, jobs), "just after the submission");
      await time.pass(time.choose({ virtual: 7_200_000, real: 2000 }));
      expectWaiting(context, await statesOf(context, jobs), "a long time later");
      await workers.set(1);
      for (const job of jobs) await expectCompletion(context, job, "when there is a worker");
    },
  },
  {
    name: "states/occupied-workers",
    title:
      "while every worker is kept busy a job stays IN_QUEUE, and one that gets free processes it",
    covers: ["LIFE-03"],
    // Without control the workers are occupied by slow jobs, so the capability `workers` is not needed.
    needs: ["quick", "slow"],
    slowMs: 4000,
    exclusive: true,
    realTimeMs: 5000,
    run: async (context) => {
      const { time, workers } = context;
      const jobs = await workers.whileStalled(async () => {
        const waiting = await submitMany(context, 2, context.jobs.quick("waits"));
        for (const job of waiting) await waitUntilReadable(context, job);
        await time.pass(time.choose({ virtual: 60_000, real: 1500 }));
        expectWaiting(context, await statesOf(context, waiting), "while every worker is busy");
        return waiting;
      });
      for (const job of jobs) await expectCompletion(context, job, "when a worker is free");
    },
  },
  {
    name: "states/all-workers-busy",
    title:
      "as many jobs are in progress as there are workers; the others wait for the next free one",
    covers: ["LIFE-03"],
    needs: ["handler", "workers", "endpoints"],
    endpoint: { workers: 2 },
    realTimeMs: 3 * workMs + 3000,
    run: async (context) => {
      const jobs = await submitMany(context, 5, context.jobs.slow(workMs));
      await expectProgress(context, jobs, 2);
    },
  },
  {
    name: "states/one-worker-fewer",
    title: "a worker that is taken away when its job ends takes no other job",
    covers: ["LIFE-03"],
    needs: ["handler", "workers", "endpoints"],
    endpoint: { workers: 2 },
    realTimeMs: 2 * workMs + 3000,
    run: async (context) => {
      const { time, workers } = context;
      const long = await submitJob(context, context.jobs.slow(2 * workMs));
      const short = await submitJob(context, context.jobs.slow(workMs));
      await time.settle();
      const waiting = await submitJob(context, context.jobs.quick("waits"));
      await workers.set(1);
      const busy = await statesOf(context, [waiting]);
      requireYounger(context, long.submittedAt, workMs);
      expectWaiting(context, busy, "both workers busy");
      await statusAfter(context, short.id, short.submittedAt, workMs);
      const later = await statesOf(context, [waiting]);
      requireYounger(context, long.submittedAt, 2 * workMs);
      expectWaiting(context, later, "one worker gone, one busy");
      await waitForEnd(context, long, 2 * workMs);
      await expectCompletion(context, waiting, "when the other worker is free");
    },
  },
  ...freedWorkerChecks(),
];

function freedWorkerChecks(): readonly Check[] {
  return freeings.map(({ label, submission, needsCrash = false, end }) => ({
    name: `states/worker-free-after-${label}`,
    title: `a worker whose job has ${label} takes the job that waits next`,
    covers: ["LIFE-03"],
    needs: ["handler", "workers", "endpoints", ...(needsCrash ? (["crash"] as const) : [])],
    realTimeMs: needsCrash ? 60_000 : 14_000,
    run: async (context) => {
      const { input, ...extra } = submission(context.jobs);
      // No worker starts before all jobs wait: when one fails or crashes at once, the next must be there already.
      await context.workers.set(0);
      const job = await submitJob(context, input, extra);
      const crashing = needsCrash ? [await submitJob(context, input)] : [];
      const next = await submitJob(context, context.jobs.quick("next"));
      await context.workers.set(1);
      await end(context, job);
      await expectCompletion(context, next, `the next job, after one that has ${label}`);
      // A job whose worker died may have been put behind the next one, and may still wait when that has ended.
      for (const { id } of crashing) {
        const over = isOver(await waitUntilOverWithin(context, id, 60_000));
        context.expect.equal(over, true, "whether a second job that crashes its worker is over");
      }
      const later = await submitJob(context, context.jobs.quick("later"));
      await expectCompletion(context, later, `a later job, after one that has ${label}`);
    },
  }));
}

/** Checks turn by turn how many of the sleep jobs that share too few workers are in progress and in the queue. */
async function expectProgress(
  context: CheckContext,
  jobs: readonly SubmittedJob[],
  workers: number,
): Promise<void> {
  const { api, time, expect } = context;
  const [first] = jobs;
  if (first === undefined) return;
  const turns = Math.ceil(jobs.length / workers);
  for (let turn = 0; turn < turns; turn += 1) {
    // In the middle of a turn, where no moment of a start or an end is near.
    const ageMs = (turn + 0.5) * workMs;
    await time.after(first.submittedAt, ageMs, async () => api.health());
    const done = turn * workers;
    const working = Math.min(workers, jobs.length - done);
    const at = `after ${ageMs} ms with ${workers} workers`;
    const states = await statesOf(context, jobs);
    requireYounger(context, first.submittedAt, (turn + 1) * workMs);
    const count = (state: string): number => states.filter((seen) => seen === state).length;
    expect.equal(count("IN_PROGRESS"), working, `${at}, in progress`);
    expect.equal(count("IN_QUEUE"), jobs.length - done - working, `${at}, in the queue`);
  }
  await time.pass(workMs);
  expect.equal(new Set(await statesOf(context, jobs)), new Set(["COMPLETED"]), "in the end");
}

async function submitMany(
  context: CheckContext,
  count: number,
  input: unknown,
): Promise<readonly SubmittedJob[]> {
  const jobs: SubmittedJob[] = [];
  for (let index = 0; index < count; index += 1) jobs.push(await submitJob(context, input));
  return jobs;
}

async function statesOf(
  { api, time }: CheckContext,
  jobs: readonly SubmittedJob[],
): Promise<readonly string[]> {
  await time.settle();
  const exchanges = await Promise.all(jobs.map(async ({ id }) => api.status(id)));
  return exchanges.map((exchange) => requireRead(readRecord(exchange), "status answered").status);
}

function expectWaiting({ expect }: CheckContext, states: readonly string[], at: string): void {
  const waiting = states.filter((state) => state === "IN_QUEUE");
  expect.equal(waiting.length, states.length, `jobs in the queue, ${at}`);
}

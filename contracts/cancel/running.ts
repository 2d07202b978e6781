import { answerOf, isSuccess } from "../../harness/read.ts";
import { expectFreeWorker } from "../../harness/jobs/job-state.ts";
import { waitForEnd, submitJob } from "../../harness/jobs/fixtures.ts";
import { startJob, submitOperationsOf } from "../../harness/jobs/submit.ts";
import { stateOf, readRecord } from "../../harness/record.ts";
import { longJobMs } from "../../harness/inputs/jobs.ts";
import { Inconclusive, Unsupported } from "../../harness/outcome.ts";
import { workedMsOf } from "../../harness/jobs/retention.ts";
import type { Check } from "../../harness/check.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import {
  arrangeCancel,
  cancelJob,
  expectCancelled,
  expectNoResult,
  expectShownAsCancelled,
} from "./cancel-job.ts";
import { expectAnswer } from "../answer-in-time.ts";
import { indexesIn } from "../stream/chunks.ts";

/** Checks of cancelling a job in progress, and of how soon cancel answers. */
export const cancelRunningChecks: readonly Check[] = [
  {
    name: "cancel/running-job",
    title:
      "cancelling a job in progress answers its id and CANCELLED, whichever operation submitted it",
    covers: ["CANC-02"],
    needs: ["slow"],
    realTimeMs: 3000,
    run: async (context) => {
      for (const by of submitOperationsOf(context)) {
        const job = await startJob(context, context.jobs.slow(longJobMs), { by });
        await expectCancelled(context, job, `a job of ${by} in progress`);
      }
    },
  },
  {
    name: "cancel/running-job-never-completes",
    title: "a job cancelled in progress has no result when its work would have been done",
    covers: ["CANC-02"],
    needs: ["slow"],
    realTimeMs: 8000,
    run: async (context) => {
      const { time } = context;
      const workMs = 2000;
      const afterwardsMs = context.jobs.usualMs(workMs) + 500;
      for (const [kind, input] of context.jobs.eachOf([
        ["sleeping", context.jobs.slow(workMs, "done")],
        ["streaming", context.jobs.slowYielding(4, workMs / 4)],
      ] as const)) {
        const job = await startJob(context, input);
        await time.pass(600);
        await arrangeCancel(context, job);
        await expectNoResult(context, job, `a ${kind} job, right after the cancel`);
        await time.pass(afterwardsMs);
        await expectNoResult(context, job, `a ${kind} job, after the time of its end`);
      }
    },
  },
  {
    name: "cancel/running-job-frees-its-worker",
    title: "the worker of a job cancelled in progress takes the next job at once",
    covers: ["CANC-02"],
    needs: ["quick", "slow"],
    slowMs: 5000,
    exclusive: true,
    run: async (context) => {
      for (const by of submitOperationsOf(context)) {
        await withOnlyWorkerBusy(context, by, async (job) => {
          await arrangeCancel(context, job);
          await expectFreeWorker(context, `a job submitted after the cancel of a ${by} job`);
        });
      }
    },
  },
  {
    name: "cancel/running-jobs-each-free-a-worker",
    title: "cancelling one job after another frees a worker each time, and only one",
    covers: ["CANC-02"],
    needs: ["quick", "slow", "endpoints"],
    run: async (context) => {
      if ((await besideBusyWorker(context)) !== "IN_QUEUE") {
        throw new Inconclusive("an endpoint made with one worker does not have just one");
      }
      for (const round of [1, 2, 3]) {
        const job = await startJob(context, context.jobs.slow(longJobMs));
        await arrangeCancel(context, job);
        await cancelJob(context, job);
        await expectFreeWorker(context, `a job after the cancel of job ${round}`);
      }
      const state = await besideBusyWorker(context);
      context.expect.equal(state, "IN_QUEUE", "a job beside one in progress, one worker in all");
    },
  },
  {
    name: "cancel/running-job-is-stopped",
    title: "a job cancelled in progress yields no more chunks",
    covers: ["CANC-02"],
    realTimeMs: 6000,
    run: async (context) => {
      const { api, time, expect } = context;
      const [count, intervalMs] = [6, 1000];
      const job = await startJob(context, context.jobs.streaming(count, intervalMs));
      await time.pass(1500);
      const { at } = await time.observe(async () => cancelJob(context, job));
      const workedMs = at.latestMs - job.startedAt.earliestMs;
      if (workedMs >= count * intervalMs)
        throw new Inconclusive("the job may have ended by itself");
      await time.pass(3000);
      const answer = answerOf(await api.stream(job.id));
      // Whether a cancelled job has a stream is not stated. Where it has one, it may show the chunks from before.
      const text = isSuccess(answer) ? answer.rawText() : "[]";
      const late = indexesIn(text).filter((index) => (index + 1) * intervalMs > workedMs);
      expect.equal(late, [], "chunks that came after the cancel");
      await expectNoResult(context, job, "a streaming job cancelled at work");
    },
  },
  {
    name: "cancel/answers-at-once",
    title: "cancel answers while the job would still run for a minute",
    covers: ["CANC-03"],
    needs: ["slow"],
    insists: true,
    run: async (context) => {
      const job = await startJob(context, context.jobs.slow(longJobMs));
      await expectPrompt(context, job, "a job in progress");
      const streaming = await startJob(context, context.jobs.slowYielding(longJobMs / 500, 500));
      await expectPrompt(context, streaming, "a streaming job in progress");
    },
  },
  {
    name: "cancel/answers-at-once-in-the-queue",
    title: "cancel of a queued job answers while no worker is free",
    covers: ["CANC-03"],
    needs: ["slow"],
    insists: true,
    stalls: true,
    run: async (context) => {
      await context.workers.whileStalled(async () => {
        const job = await submitJob(context, context.jobs.slow(longJobMs));
        await expectPrompt(context, job, "a queued job");
      });
    },
  },
  ...(["sleeping", "streaming"] as const).map((kind) => shownCancelled(kind)),
  {
    name: "cancel/status-stays-cancelled",
    title: "status still shows CANCELLED, without output, 50 seconds after the cancel",
    covers: ["CANC-04"],
    needs: ["slow"],
    realTimeMs: 50_000,
    endpoint: { workers: 2 },
    run: async (context) => {
      const jobs = [];
      for (const by of submitOperationsOf(context)) {
        const job = await startJob(context, context.jobs.slow(longJobMs), { by });
        await arrangeCancel(context, job);
        jobs.push({ by, job });
      }
      await context.time.pass(50_000);
      for (const { by, job } of jobs)
        await expectShownAsCancelled(context, job, `a job of ${by} 50 s later`);
    },
  },
];

function shownCancelled(kind: "sleeping" | "streaming"): Check {
  return {
    name: `cancel/status-of-a-${kind}-job-cancelled`,
    title: `status shows a ${kind} job cancelled at work as CANCELLED without output, and goes on so`,
    covers: ["CANC-04", "STAT-02"],
    needs: [kind === "sleeping" ? "slow" : "streaming"],
    realTimeMs: 12_000,
    run: async (context) => {
      const { api, time, jobs, expect } = context;
      const shown = { ...context, expect: expect.of("CANC-04") };
      const workMs = 4000;
      const isSlow = kind === "sleeping";
      const input = isSlow ? jobs.slow(workMs, "done") : jobs.streaming(8, workMs / 8);
      // How long a streaming job of a jobs file works is not known: its end may not be awaited.
      for (const by of submitOperationsOf(context)) {
        const job = await startJob(context, input, { by });
        await time.pass(600);
        await (isSlow || jobs.exact ? arrangeCancel : cancelWhileItStreams)(context, job);
        const at = `a ${kind} job of ${by}`;
        await expectShownAsCancelled(shown, job, `${at}, right after the cancel`);
        const read = readRecord(await api.status(job.id));
        const hasOutput = read.ok && "output" in read.body;
        expect.of("STAT-02").equal(hasOutput, false, `output present in ${at} that was cancelled`);
        await time.pass(isSlow ? workedMsOf(context, workMs, by) : workMs);
        await expectShownAsCancelled(shown, job, `${at}, after the time of its end`);
      }
    },
  };
}

/**
 * Cancels a job of a jobs file that streams for an unknown time.
 * @throws Unsupported where it ended before: what cancel answers then is open (CANC-06)
 */
async function cancelWhileItStreams(context: CheckContext, job: SubmittedJob): Promise<void> {
  await cancelJob(context, job);
  if (stateOf(await context.api.status(job.id)) !== "CANCELLED")
    throw new Unsupported("the streaming job ended before its cancel: a longer one would show it");
}

/** Runs a task while a job is in progress and no other worker is free. */
async function withOnlyWorkerBusy(
  context: CheckContext,
  by: SubmitOperation,
  task: (job: SubmittedJob) => Promise<void>,
): Promise<void> {
  const { workers, offers } = context;
  if (!offers("endpoints") && offers("workers")) await workers.set(1);
  const job = await startJob(context, context.jobs.slow(longJobMs), { by });
  if (offers("endpoints") || offers("workers")) await task(job);
  else await workers.whileStalled(async () => task(job));
}

/** The state of a job that is submitted while another is in progress. */
async function besideBusyWorker(context: CheckContext): Promise<string> {
  const busy = await startJob(context, context.jobs.slow(longJobMs));
  const waiting = await submitJob(context, context.jobs.quick("waits"));
  await context.time.settle();
  const state = stateOf(await context.api.status(waiting.id));
  await arrangeCancel(context, busy);
  await waitForEnd(context, waiting);
  return state;
}

async function expectPrompt(context: CheckContext, job: SubmittedJob, at: string): Promise<void> {
  await expectAnswer(context, await cancelJob(context, job), `cancel of ${at}`);
}

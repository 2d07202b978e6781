import type { Exchange } from "../../client/exchange.ts";
import {
  retryToEnd,
  runToCompletion,
  waitForEnd,
  readJob,
  submitJob,
} from "../../harness/jobs/fixtures.ts";
import { runToEnd } from "../../harness/jobs/submit.ts";
import { answerOf, isSuccess } from "../../harness/read.ts";
import { readRecord, stateOf } from "../../harness/record.ts";
import { runToFailureIfOffered } from "../../harness/jobs/offered-jobs.ts";
import { runToTimeout } from "../../harness/jobs/endings.ts";
import type { Check } from "../../harness/check.ts";
import type { FinishedJob } from "../../harness/jobs/fixtures.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { runToFailureBy } from "../retry/endings.ts";
import { arrangeCancel, cancelFinished } from "./cancel-job.ts";

/** Checks of cancelling a job that has ended. */
export const cancelFinishedChecks: readonly Check[] = [
  {
    name: "cancel/finished-job-keeps-its-state",
    title:
      "cancelling a completed or failed job leaves its state, its output and its times, however often",
    covers: ["CANC-05", "STAT-05"],
    needs: ["quick"],
    run: async (context) => {
      // On a virtual clock a job that takes no time shows times of 0, whatever becomes of them.
      const workMs = context.time.choose({ virtual: 1500, real: 100 });
      const short = context.jobs.short(workMs, "some work");
      const jobs: (readonly [string, FinishedJob])[] = [
        ["completed", await runToCompletion(context, { kept: [1, null, "✓"] })],
        ["completed, of runsync", await runSyncToEnd(context)],
        ["completed after some work", await runToEnd(context, short, {}, workMs)],
        ...(context.offers("handler")
          ? [["completed on its second attempt", await retriedToCompletion(context)] as const]
          : []),
        ...(await runToFailureIfOffered(context)).map((job) => ["failed", job] as const),
      ];
      if (context.offers("streaming")) {
        const streamed = await runToEnd(context, context.jobs.streaming(3, 0));
        jobs.push(["completed, with an array as output", streamed]);
      }
      for (const [kind, job] of jobs) {
        for (const time of ["once", "twice"]) {
          await cancelFinished(context, job);
          await expectUnchanged(context, job, `a ${kind} job, cancelled ${time}`);
        }
        await expectSameTimes(context, job, `a ${kind} job, cancelled twice`);
      }
    },
  },
  {
    name: "cancel/finished-job-keeps-its-result-later",
    title: "a completed job that was cancelled still shows its result some time later",
    covers: ["CANC-05"],
    needs: ["quick"],
    realTimeMs: 30_000,
    run: async (context) => {
      const job = await runToCompletion(context, "kept");
      const ofRunsync = await runSyncToEnd(context);
      const failed = await runToFailureIfOffered(context);
      for (const each of [job, ofRunsync, ...failed]) await cancelFinished(context, each);
      await context.time.pass(30_000);
      await expectUnchanged(context, job, "a completed job, 30 s after the cancel");
      await expectUnchanged(context, ofRunsync, "a runsync job, 30 s after the cancel");
      for (const each of failed) {
        await expectUnchanged(context, each, "a failed job, 30 s after the cancel");
      }
    },
  },
  {
    name: "cancel/failed-job-can-still-be-retried",
    title: "a job that failed or timed out can be retried after a cancel that came too late",
    covers: ["CANC-05"],
    needs: ["failing", "slow", "clock"],
    slowMs: 6000,
    run: async (context) => {
      const { api, expect } = context;
      const jobs = [
        await runToFailureBy(context, context.jobs.failing("again")),
        await runToTimeout(context),
      ];
      for (const job of jobs) {
        await cancelFinished(context, job);
        expect.accepted(await api.retry(job.id), `retry of a ${job.record.status} job`);
        await api.cancel(job.id);
      }
    },
  },
  {
    name: "cancel/timed-out-job-keeps-its-state",
    title: "cancelling a job that has timed out leaves its state",
    covers: ["CANC-05"],
    needs: ["slow"],
    slowMs: 6000,
    realTimeMs: 6000,
    run: async (context) => {
      const job = await runToTimeout(context, context.jobs.slow(20_000));
      await cancelFinished(context, job);
      await expectUnchanged(context, job, "a job that timed out, cancelled");
    },
  },
  {
    name: "cancel/cancelled-job-keeps-its-state",
    title: "cancelling a cancelled job leaves it CANCELLED",
    covers: ["CANC-05"],
    needs: ["quick", "slow"],
    slowMs: 4000,
    stalls: true,
    run: async (context) => {
      const job = await context.workers.whileStalled(async () => {
        const submission = await submitJob(context, context.jobs.quick("never"));
        await arrangeCancel(context, submission);
        const queued = await waitForEnd(context, submission);
        await cancelFinished(context, queued);
        await expectUnchanged(context, queued, "a cancelled job, cancelled again");
        return queued;
      });
      await expectUnchanged(context, job, "a job cancelled twice, once a worker is free");
    },
  },
  {
    name: "cancel/finished-job-answer",
    title: "the answer to cancelling a finished job is one the specification leaves room for",
    covers: ["CANC-06"],
    needs: ["quick"],
    run: async (context) => {
      const jobs = [await runToCompletion(context), ...(await runToFailureIfOffered(context))];
      const seen = new Set<string>();
      for (const job of jobs) {
        const reading = await readingOfCancel(context, await cancelFinished(context, job), job);
        if (seen.has(reading)) continue;
        seen.add(reading);
        context.expect.reading(reading, `cancel of a job that is ${job.record.status}`);
      }
    },
  },
];

async function expectUnchanged(context: CheckContext, job: FinishedJob, at: string): Promise<void> {
  await context.time.settle();
  const exchange = await context.api.status(job.id);
  const expect = context.expect.of("CANC-05");
  expect.equal(stateOf(exchange), job.record.status, `state of ${at}`);
  const read = readRecord(exchange);
  if (read.ok) expect.equal(read.body["output"], job.record["output"], `output of ${at}`);
}

/** @throws Inconclusive where the job cannot be read: another requirement speaks of that */
async function expectSameTimes(context: CheckContext, job: FinishedJob, at: string): Promise<void> {
  const record = await readJob(context, job.id);
  for (const member of ["delayTime", "executionTime"] as const) {
    const expect = context.expect.of("STAT-05");
    expect.equal(record[member], job.record[member], `${member} of ${at}`);
  }
}

async function readingOfCancel(
  context: CheckContext,
  exchange: Exchange,
  { id, record }: FinishedJob,
): Promise<string> {
  const answer = answerOf(exchange);
  if (!isSuccess(answer)) return String(answer.status);
  const shown = stateOf(exchange);
  if (shown === record.status) return "200 with the unchanged status";
  const { status } = await readJob(context, id);
  return shown === "CANCELLED" && status === record.status
    ? "200 with CANCELLED in the answer alone"
    : `200 with ${shown}, and status shows ${status}`;
}

async function runSyncToEnd(context: CheckContext): Promise<FinishedJob> {
  return runToEnd(context, context.jobs.quick("of runsync"), { by: "runsync" });
}

async function retriedToCompletion(context: CheckContext): Promise<FinishedJob> {
  const job = await runToEnd(context, context.jobs.failingFirst(1, "second"));
  return retryToEnd(context, job);
}

import type { Exchange } from "../../client/index.ts";
import {
  answerOf,
  arranged,
  completed,
  failed,
  finished,
  inputs,
  isSuccess,
  readRecord,
  recordOf,
  stateOf,
  submitted,
  submittedBy,
  Undecided,
} from "../../harness/index.ts";
import type { Check, FinishedJob, Tools } from "../../harness/index.ts";
import { arrangeCancel, cancelFinished } from "./kit.ts";

/** Checks of cancelling a job that has ended. */
export const cancelFinishedChecks: readonly Check[] = [
  {
    name: "cancel/finished-job-keeps-its-state",
    title: "cancelling a completed or failed job leaves its state and its output, however often",
    covers: ["CANC-05"],
    run: async (tools) => {
      const jobs: readonly (readonly [string, FinishedJob])[] = [
        ["completed", await completed(tools, { kept: [1, null, "✓"] })],
        ["completed, with an array as output", await streamed(tools)],
        ["completed, of runsync", await ranSync(tools)],
        ["completed on its second attempt", await retriedToCompletion(tools)],
        ["failed", await failed(tools)],
      ];
      for (const [kind, job] of jobs) {
        for (const time of ["once", "twice"]) {
          await cancelFinished(tools, job);
          await expectUnchanged(tools, job, `a ${kind} job, cancelled ${time}`);
        }
      }
    },
  },
  {
    name: "cancel/finished-job-keeps-its-result-later",
    title: "a completed job that was cancelled still shows its result some time later",
    covers: ["CANC-05"],
    realTimeMs: 30_000,
    run: async (tools) => {
      const job = await completed(tools, "kept");
      const ofRunsync = await ranSync(tools);
      const hasFailed = await failed(tools);
      for (const each of [job, ofRunsync, hasFailed]) await cancelFinished(tools, each);
      await tools.time.pass(30_000);
      await expectUnchanged(tools, job, "a completed job, 30 s after the cancel");
      await expectUnchanged(tools, ofRunsync, "a runsync job, 30 s after the cancel");
      await expectUnchanged(tools, hasFailed, "a failed job, 30 s after the cancel");
    },
  },
  {
    name: "cancel/timed-out-job-keeps-its-state",
    title: "cancelling a job that has timed out leaves its state",
    covers: ["CANC-05"],
    realTimeMs: 6000,
    run: async (tools) => {
      const policy = { executionTimeout: 5000 };
      const submission = await submitted(tools, inputs.sleep(20_000), { policy });
      const job = await finished(tools, submission, 5001);
      if (job.record.status !== "TIMED_OUT") {
        throw new Undecided(`a job had to end TIMED_OUT, but it is ${job.record.status}`);
      }
      await cancelFinished(tools, job);
      await expectUnchanged(tools, job, "a job that timed out, cancelled");
    },
  },
  {
    name: "cancel/cancelled-job-keeps-its-state",
    title: "cancelling a cancelled job leaves it CANCELLED",
    covers: ["CANC-05"],
    exclusive: true,
    run: async (tools) => {
      await tools.workers.stall();
      const submission = await submitted(tools, inputs.echo("never"));
      await arrangeCancel(tools, submission);
      const job = await finished(tools, submission);
      await cancelFinished(tools, job);
      await expectUnchanged(tools, job, "a cancelled job, cancelled again");
      await tools.workers.resume();
      await expectUnchanged(tools, job, "a job cancelled twice, once a worker is free");
    },
  },
  {
    name: "cancel/finished-job-answer",
    title: "the answer to cancelling a finished job is one the specification leaves room for",
    covers: ["CANC-06"],
    run: async (tools) => {
      const jobs = [await completed(tools), await failed(tools)];
      const seen = new Set<string>();
      for (const job of jobs) {
        const reading = await readingOfCancel(tools, await cancelFinished(tools, job), job);
        if (seen.has(reading)) continue;
        seen.add(reading);
        tools.expect.reading(reading, `cancel of a job that is ${job.record.status}`);
      }
    },
  },
];

async function expectUnchanged(tools: Tools, job: FinishedJob, at: string): Promise<void> {
  await tools.time.settle();
  const exchange = await tools.api.status(job.id);
  tools.expect.equal(stateOf(exchange), job.record.status, `state of ${at}`);
  const read = readRecord(exchange);
  if (read.ok) tools.expect.equal(read.body["output"], job.record["output"], `output of ${at}`);
}

async function readingOfCancel(
  tools: Tools,
  exchange: Exchange,
  { id, record }: FinishedJob,
): Promise<string> {
  const answer = answerOf(exchange);
  if (!isSuccess(answer)) return String(answer.status);
  const shown = stateOf(exchange);
  if (shown === record.status) return "200 with the unchanged status";
  const { status } = await recordOf(tools, id);
  return shown === "CANCELLED" && status === record.status
    ? "200 with CANCELLED in the answer alone"
    : `200 with ${shown}, and status shows ${status}`;
}

async function streamed(tools: Tools): Promise<FinishedJob> {
  return finished(tools, await submitted(tools, inputs.stream(3, 0)));
}

async function ranSync(tools: Tools): Promise<FinishedJob> {
  const job = await submittedBy(tools, inputs.echo("of runsync"), { by: "runsync" });
  return finished(tools, job);
}

async function retriedToCompletion(tools: Tools): Promise<FinishedJob> {
  const job = await finished(tools, await submitted(tools, inputs.flaky(1, "second")));
  arranged(readRecord(await tools.api.retry(job.id)), "a job had to be retried, but retry gave");
  return finished(tools, job);
}

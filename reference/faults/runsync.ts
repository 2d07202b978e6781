import { decimal, isIntegerWithin, isJsonObject } from "../behaviour/submission.ts";
import type { Fault } from "../fault.ts";
import { isFinal } from "../transitions.ts";

export const runsyncFaults: readonly Fault[] = [
  {
    name: "runsync/has-no-output",
    breaks: ["SYNC-01"],
    describe: "runsync answers a completed job without its output.",
    change: ({ operations }) => ({
      operations: {
        showsOutput: (job, context) =>
          context.operation !== "runsync" && operations.showsOutput(job, context),
      },
    }),
  },
  {
    name: "runsync/has-no-execution-time",
    breaks: ["SYNC-01"],
    describe: "runsync answers a completed job without executionTime.",
    change: () => ({
      operations: {
        shape: (body, { operation }) => {
          if (operation !== "runsync" || !isJsonObject(body)) return body;
          const { executionTime: _left, ...rest } = body;
          return rest;
        },
      },
    }),
  },
  {
    name: "runsync/waits-a-second-at-most",
    breaks: ["SYNC-02"],
    describe: "runsync gives a job no more than a second, whatever the wait.",
    change: () => ({ operations: { waitsForMs: (job) => Math.min(job.waitMs, 1_000) } }),
  },
  {
    name: "runsync/wait-is-capped",
    breaks: ["SYNC-02"],
    describe: "runsync waits 90 seconds at most, also where wait is longer.",
    change: () => ({ operations: { waitsForMs: (job) => Math.min(job.waitMs, 90_000) } }),
  },
  {
    name: "runsync/shortest-wait-is-refused",
    breaks: ["SYNC-03"],
    describe: "A wait of 1000 is refused.",
    change: () => ({
      submission: { acceptsWait: (text) => isIntegerWithin(decimal(text), 1_001, 300_000) },
    }),
  },
  {
    name: "runsync/wait-is-a-little-too-long",
    breaks: ["SYNC-03"],
    describe: "A wait of 300001 is accepted.",
    change: () => ({
      submission: { acceptsWait: (text) => isIntegerWithin(decimal(text), 1_000, 300_001) },
    }),
  },
  {
    name: "runsync/wait-may-be-a-fraction",
    breaks: ["SYNC-03"],
    describe: "A wait of 1500.5 is accepted.",
    change: () => ({
      submission: { acceptsWait: (text) => Number(text) >= 1_000 && Number(text) <= 300_000 },
    }),
  },
  {
    name: "runsync/wrong-wait-is-the-default",
    breaks: ["SYNC-03"],
    describe: "A wait that is no number is ignored.",
    change: ({ submission }) => ({
      submission: {
        acceptsWait: (text) => submission.acceptsWait(text) || Number.isNaN(Number(text)),
      },
    }),
  },
  {
    name: "runsync/end-of-wait-cancels",
    breaks: ["SYNC-04"],
    describe: "When the wait is over the job is cancelled.",
    change: () => ({ operations: { waitOverEvent: () => "cancel" } }),
  },
  {
    name: "runsync/end-of-wait-tells-no-id",
    breaks: ["SYNC-04"],
    describe: "When the wait is over the answer has no id.",
    change: () => ({
      operations: {
        shape: (body, { operation, job }) =>
          operation === "runsync" && job !== undefined && !isFinal(job.status)
            ? { status: job.status }
            : body,
      },
    }),
  },
  {
    name: "runsync/default-wait-is-a-minute",
    breaks: ["SYNC-05"],
    describe: "Without wait runsync waits 60 seconds.",
    change: () => ({ submission: { waitMs: (givenMs) => givenMs ?? 60_000 } }),
  },
  {
    name: "runsync/default-wait-is-too-long",
    breaks: ["SYNC-05"],
    describe: "Without wait runsync waits 100 seconds.",
    change: () => ({ submission: { waitMs: (givenMs) => givenMs ?? 100_000 } }),
  },
  {
    name: "runsync/has-the-limit-of-run",
    breaks: ["SYNC-06"],
    describe: "runsync refuses payloads over 10 MB.",
    change: ({ submission }) => ({
      submission: { payloadBytesMax: () => submission.payloadBytesMax("run") },
    }),
  },
  {
    name: "runsync/takes-any-payload",
    breaks: ["SYNC-06"],
    describe: "runsync has no limit for its payload.",
    change: ({ submission }) => ({
      submission: {
        payloadBytesMax: (operation) =>
          operation === "runsync" ? 104_857_600 : submission.payloadBytesMax(operation),
      },
    }),
  },
  {
    name: "runsync/result-is-gone-early",
    breaks: ["SYNC-07"],
    describe: "The result of a runsync job is deleted one millisecond before its minute is over.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) => (job.submittedBy === "runsync" ? 59_999 : retention.keptMs(job)),
      },
    }),
  },
  {
    name: "runsync/result-stays-as-long-as-that-of-run",
    breaks: ["SYNC-08"],
    describe: "The result of a runsync job is kept for 30 minutes.",
    change: () => ({ retention: { keptMs: () => 1_800_000 } }),
  },
  {
    name: "runsync/wait-prolongs-the-result",
    breaks: ["SYNC-09"],
    describe: "With a wait above the default the result is kept for as long as the wait.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) =>
          job.submittedBy === "runsync" && job.waitMs > 90_000 ? job.waitMs : retention.keptMs(job),
      },
    }),
  },
  {
    name: "runsync/failed-job-is-a-bad-request",
    breaks: ["SYNC-10"],
    describe: "runsync answers 400 where its job failed.",
    change: () => ({ operations: { failedRunsyncStatus: () => 400 } }),
  },
  {
    name: "runsync/queue-is-not-shown",
    breaks: ["SYNC-11"],
    describe: "A runsync job that waits for a worker is shown as IN_PROGRESS.",
    change: ({ operations }) => ({
      operations: {
        record: (job, context) =>
          job.submittedBy === "runsync" && job.status === "IN_QUEUE"
            ? { id: job.id, status: "IN_PROGRESS" }
            : operations.record(job, context),
      },
    }),
  },
];

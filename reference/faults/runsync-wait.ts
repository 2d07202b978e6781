import { decimal, isJsonObject } from "../behaviour/submission.ts";
import type { Fault } from "../fault.ts";

export const runsyncWaitFaults: readonly Fault[] = [
  {
    name: "runsync/leaves-out-zeros",
    breaks: ["SYNC-01"],
    describe: "runsync leaves out a time that is 0.",
    change: () => ({
      operations: {
        shape: (body, { operation }) =>
          operation === "runsync" && isJsonObject(body)
            ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== 0))
            : body,
      },
    }),
  },
  {
    name: "runsync/wraps-an-array",
    breaks: ["SYNC-01"],
    describe: "runsync puts an output that is an array into an object.",
    change: () => ({
      operations: {
        shape: (body, { operation }) =>
          operation === "runsync" && isJsonObject(body) && Array.isArray(body["output"])
            ? { ...body, output: { result: body["output"] } }
            : body,
      },
    }),
  },
  {
    name: "runsync/does-not-wait-in-the-queue",
    breaks: ["SYNC-02"],
    describe: "runsync answers at once where its job finds no free worker.",
    change: ({ operations }) => ({
      operations: {
        waitsForJob: (job) => job.status !== "IN_QUEUE" && operations.waitsForJob(job),
      },
    }),
  },
  {
    name: "runsync/ignores-wait",
    breaks: ["SYNC-02", "SYNC-04"],
    describe: "runsync waits 90 seconds, whatever the wait.",
    change: () => ({ submission: { waitMs: () => 90_000 } }),
  },
  {
    name: "runsync/longest-wait-is-refused",
    breaks: ["SYNC-03"],
    describe: "A wait of 300000 is refused.",
    change: ({ submission }) => ({
      submission: { acceptsWait: (text) => text !== "300000" && submission.acceptsWait(text) },
    }),
  },
  {
    name: "runsync/wait-is-a-little-too-short",
    breaks: ["SYNC-03"],
    describe: "A wait of 999 is accepted.",
    change: ({ submission }) => ({
      submission: { acceptsWait: (text) => text === "999" || submission.acceptsWait(text) },
    }),
  },
  {
    name: "runsync/empty-wait-is-the-default",
    breaks: ["SYNC-03"],
    describe: "A wait without a value is ignored.",
    change: ({ submission }) => ({
      submission: { acceptsWait: (text) => text === "" || submission.acceptsWait(text) },
    }),
  },
  {
    name: "runsync/wait-ends-where-its-digits-end",
    breaks: ["SYNC-03"],
    describe: "Of a wait such as 2000ms the digits are taken.",
    change: ({ submission }) => ({
      submission: {
        acceptsWait: (text) => submission.acceptsWait(String(Number.parseInt(String(text), 10))),
      },
    }),
  },
  {
    name: "runsync/wait-has-no-sign",
    breaks: ["SYNC-03"],
    describe: "The sign of a negative wait is dropped.",
    change: ({ submission }) => ({
      submission: { acceptsWait: (text) => submission.acceptsWait(String(text).replace("-", "")) },
    }),
  },
  {
    name: "runsync/wait-ends-a-millisecond-early",
    breaks: ["SYNC-04"],
    describe: "runsync waits a millisecond less than it was asked to.",
    change: () => ({ submission: { waitMs: (givenMs) => (givenMs ?? 90_001) - 1 } }),
  },
  {
    name: "runsync/end-of-wait-removes-a-queued-job",
    breaks: ["SYNC-04"],
    describe: "A job that is still queued when the wait is over is removed.",
    change: () => ({
      operations: { waitOverEvent: (job) => (job.status === "IN_QUEUE" ? "purge" : undefined) },
    }),
  },
  {
    name: "runsync/answers-no-unfinished-job",
    breaks: ["SYNC-04"],
    describe: "When the wait is over runsync goes on waiting, for an hour.",
    change: () => ({ operations: { waitsForMs: () => 3_600_000 } }),
  },
  {
    name: "runsync/unfinished-job-counts-as-failed",
    breaks: ["SYNC-04"],
    describe: "When the wait is over the answer says that the job has timed out.",
    change: () => ({
      operations: {
        shape: (body, { operation, job }) =>
          operation === "runsync" && job?.finishedAtMs === undefined && isJsonObject(body)
            ? { ...body, status: "TIMED_OUT" }
            : body,
      },
    }),
  },
  {
    name: "runsync/default-wait-ends-a-millisecond-early",
    breaks: ["SYNC-05"],
    describe: "Without wait runsync waits 89999 ms.",
    change: () => ({ submission: { waitMs: (givenMs) => givenMs ?? 89_999 } }),
  },
  {
    name: "runsync/default-wait-ends-a-little-late",
    breaks: ["SYNC-05"],
    describe: "Without wait runsync waits 90002 ms.",
    change: () => ({ submission: { waitMs: (givenMs) => givenMs ?? 90_002 } }),
  },
  {
    name: "runsync/failed-job-has-no-record",
    breaks: ["SYNC-10"],
    describe: "runsync of a failed job answers 200 with the error alone.",
    change: () => ({
      operations: {
        shape: (body, { operation, job }) =>
          operation === "runsync" && job?.status === "FAILED" ? { error: job.error } : body,
      },
    }),
  },
  {
    name: "runsync/wait-must-have-four-digits-or-more",
    breaks: ["SYNC-03"],
    describe: "A wait is accepted by its number of digits.",
    change: () => ({
      submission: {
        acceptsWait: (text) => /^\d{4,6}$/.test(String(text)) && decimal(text) !== undefined,
      },
    }),
  },
];

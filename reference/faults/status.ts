import { decimal } from "../behaviour/submission.ts";
import type { Fault } from "../fault.ts";
import { isFinal } from "../transitions.ts";

export const statusFaults: readonly Fault[] = [
  {
    name: "status/has-a-state-of-its-own",
    breaks: ["STAT-01"],
    describe: "A job in progress is shown as RUNNING.",
    change: ({ operations }) => ({
      operations: {
        record: (job, context) =>
          job.status === "IN_PROGRESS"
            ? { id: job.id, status: "RUNNING" }
            : operations.record(job, context),
      },
    }),
  },
  {
    name: "status/tells-another-id",
    breaks: ["STAT-01"],
    describe: "status drops the prefix of a runsync job's id.",
    change: ({ operations }) => ({
      operations: {
        record: (job, context) =>
          context.operation === "status"
            ? { id: job.id.replace("sync-", ""), status: job.status }
            : operations.record(job, context),
      },
    }),
  },
  {
    name: "status/unfinished-job-has-null-output",
    breaks: ["STAT-02"],
    describe: "status has an output of null before the job has completed.",
    change: ({ operations }) => ({
      operations: {
        record: (job, context) =>
          isFinal(job.status)
            ? operations.record(job, context)
            : { id: job.id, status: job.status, output: null },
      },
    }),
  },
  {
    name: "status/failed-job-has-output",
    breaks: ["STAT-02"],
    describe: "A failed job shows its error as its output too.",
    change: ({ lifecycle, operations }) => ({
      lifecycle: {
        keptOutput: (output, job) =>
          job.status === "FAILED" ? { error: "failed" } : lifecycle.keptOutput(output, job),
      },
      operations: {
        showsOutput: (job, context) =>
          job.status === "FAILED" || operations.showsOutput(job, context),
      },
    }),
  },
  {
    name: "status/array-output-is-missing",
    breaks: ["STAT-02"],
    describe: "An output that is an array is not shown.",
    change: ({ operations }) => ({
      operations: {
        showsOutput: (job, context) =>
          !Array.isArray(job.output) && operations.showsOutput(job, context),
      },
    }),
  },
  {
    name: "status/failed-job-has-no-times",
    breaks: ["STAT-03"],
    describe: "A failed job has no executionTime.",
    change: ({ operations }) => ({
      operations: {
        executionMs: (job, nowMs) =>
          job.status === "FAILED" ? undefined : operations.executionMs(job, nowMs),
      },
    }),
  },
  {
    name: "status/delay-is-a-fraction",
    breaks: ["STAT-03"],
    describe: "delayTime is no integer.",
    change: ({ operations }) => ({
      operations: {
        delayMs: (job, nowMs) => {
          const delayMs = operations.delayMs(job, nowMs);
          return delayMs === undefined ? undefined : delayMs + 0.25;
        },
      },
    }),
  },
  {
    name: "status/delay-is-negative",
    breaks: ["STAT-03"],
    describe: "delayTime of a job that did not wait is -1.",
    change: ({ operations }) => ({
      operations: {
        delayMs: (job, nowMs) => {
          const delayMs = operations.delayMs(job, nowMs);
          return delayMs === 0 ? -1 : delayMs;
        },
      },
    }),
  },
  {
    name: "status/times-are-microseconds",
    breaks: ["STAT-04"],
    describe: "delayTime and executionTime are microseconds.",
    change: ({ operations }) => ({
      operations: {
        delayMs: (job, nowMs) => scaled(operations.delayMs(job, nowMs), 1_000),
        executionMs: (job, nowMs) => scaled(operations.executionMs(job, nowMs), 1_000),
      },
    }),
  },
  {
    name: "status/delay-includes-the-work",
    breaks: ["STAT-05"],
    describe: "delayTime counts up to the end of the job.",
    change: ({ operations }) => ({
      operations: {
        delayMs: (job, nowMs) =>
          job.finishedAtMs === undefined
            ? operations.delayMs(job, nowMs)
            : job.finishedAtMs - job.queuedAtMs,
      },
    }),
  },
  {
    name: "status/execution-includes-the-queue",
    breaks: ["STAT-05"],
    describe: "executionTime counts from the submission.",
    change: () => ({
      operations: {
        executionMs: (job) =>
          job.finishedAtMs === undefined ? undefined : job.finishedAtMs - job.submittedAtMs,
      },
    }),
  },
  {
    name: "status/ttl-is-ignored",
    breaks: ["STAT-06"],
    describe: "The ttl of status is checked and then forgotten.",
    change: () => ({ operations: { ttlEndsAtMs: () => undefined } }),
  },
  {
    name: "status/ttl-counts-only-in-the-queue",
    breaks: ["STAT-06"],
    describe: "The ttl of status does not end a job in progress.",
    change: ({ operations }) => ({
      operations: {
        ttlEndsAtMs: (ttlMs, job, nowMs) =>
          job.status === "IN_QUEUE" ? operations.ttlEndsAtMs(ttlMs, job, nowMs) : undefined,
      },
    }),
  },
  {
    name: "status/ttl-has-the-bounds-of-policy",
    breaks: ["STAT-06"],
    describe: "The ttl of status is refused below 10000.",
    change: () => ({
      operations: { acceptsStatusTtl: (text) => (decimal(text) ?? 0) >= 10_000 },
    }),
  },
  {
    name: "status/ttl-may-be-zero",
    breaks: ["STAT-07"],
    describe: "A ttl of 0 is accepted.",
    change: () => ({
      operations: {
        acceptsStatusTtl: (text) => decimal(text) !== undefined,
        ttlEndsAtMs: (ttlMs, _job, nowMs) => (ttlMs === 0 ? undefined : nowMs + ttlMs),
      },
    }),
  },
  {
    name: "status/ttl-may-be-negative",
    breaks: ["STAT-07"],
    describe: "A negative ttl is accepted.",
    change: ({ operations }) => ({
      operations: {
        acceptsStatusTtl: (text) => operations.acceptsStatusTtl(text) || Number(text) < 0,
        ttlEndsAtMs: (ttlMs, _job, nowMs) => (ttlMs === 0 ? undefined : nowMs + ttlMs),
      },
    }),
  },
  {
    name: "status/ttl-may-be-a-word",
    breaks: ["STAT-07"],
    describe: "A ttl that is no number is ignored.",
    change: ({ operations }) => ({
      operations: {
        acceptsStatusTtl: (text) => operations.acceptsStatusTtl(text) || Number.isNaN(Number(text)),
        ttlEndsAtMs: (ttlMs, _job, nowMs) => (ttlMs === 0 ? undefined : nowMs + ttlMs),
      },
    }),
  },
  {
    name: "status/reading-adds-to-the-delay",
    breaks: ["STAT-08"],
    describe: "Each read of a finished job makes its delayTime a millisecond longer.",
    change: () => ({
      operations: {
        afterRead: ({ job }) => {
          if (job !== undefined && isFinal(job.status)) job.queuedAtMs -= 1;
        },
      },
    }),
  },
  {
    name: "status/third-read-shows-progress",
    breaks: ["STAT-08"],
    describe: "From the third read on a queued job is shown as IN_PROGRESS.",
    change: ({ operations }) => {
      const reads = new Map<string, number>();
      return {
        operations: {
          record: (job, context) => {
            const count = (reads.get(job.id) ?? 0) + 1;
            reads.set(job.id, count);
            return job.status === "IN_QUEUE" && count > 2
              ? { id: job.id, status: "IN_PROGRESS" }
              : operations.record(job, context);
          },
        },
      };
    },
  },
  {
    name: "status/unknown-job-is-an-empty-success",
    breaks: ["STAT-09"],
    describe: "status answers 200 for an unknown job.",
    change: () => ({
      operations: { unknownJobStatus: (operation) => (operation === "status" ? 200 : 404) },
    }),
  },
  {
    name: "status/unknown-job-breaks-retry",
    breaks: ["STAT-09"],
    describe: "retry answers 500 for an unknown job.",
    change: () => ({
      operations: { unknownJobStatus: (operation) => (operation === "retry" ? 500 : 404) },
    }),
  },
  {
    name: "status/deleted-job-was-here",
    breaks: ["STAT-10"],
    describe: "A job whose retention has ended answers 410.",
    change: ({ operations }) => {
      const known = new Set<string>();
      return {
        retention: {
          shows: ({ id }) => {
            known.add(id);
            return true;
          },
        },
        operations: {
          unknownJobStatus: (operation, jobId) =>
            known.has(jobId) ? 410 : operations.unknownJobStatus(operation, jobId),
        },
      };
    },
  },
];

function scaled(value: number | undefined, factor: number): number | undefined {
  return value === undefined ? undefined : value * factor;
}

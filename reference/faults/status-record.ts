import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";
import type { JobStatus } from "../transitions.ts";

export const statusRecordFaults: readonly Fault[] = [
  misspelt("CANCELLED", "CANCELED"),
  misspelt("TIMED_OUT", "TIMEOUT"),
  misspelt("IN_QUEUE", "QUEUED"),
  misspelt("FAILED", "ERROR"),
  {
    name: "status/job-in-progress-shows-its-chunks",
    breaks: ["STAT-02"],
    describe: "The output of a job in progress is what it has yielded so far.",
    change: showingChunksOf("IN_PROGRESS"),
  },
  {
    name: "status/timed-out-job-shows-its-chunks",
    breaks: ["STAT-02"],
    describe: "The output of a job that timed out is what it had yielded.",
    change: showingChunksOf("TIMED_OUT"),
  },
  {
    name: "status/cancelled-job-shows-its-chunks",
    breaks: ["STAT-02"],
    describe: "The output of a cancelled job is what it had yielded.",
    change: showingChunksOf("CANCELLED"),
  },
  {
    name: "status/empty-output-is-missing",
    breaks: ["STAT-02"],
    describe: "An empty array is not shown as output.",
    change: ({ operations }) => ({
      operations: {
        showsOutput: (job, context) =>
          operations.showsOutput(job, context) &&
          !(Array.isArray(job.output) && job.output.length === 0),
      },
    }),
  },
  {
    name: "status/timed-out-job-has-no-times",
    breaks: ["STAT-03"],
    describe: "A job that timed out has no executionTime.",
    change: withoutExecutionTime("TIMED_OUT"),
  },
  {
    name: "status/cancelled-job-has-a-negative-time",
    breaks: ["STAT-03"],
    describe: "executionTime of a job that was cancelled in progress is -1.",
    change: ({ operations }) => ({
      operations: {
        executionMs: (job, nowMs) =>
          job.status === "CANCELLED" && job.startedAtMs !== undefined
            ? -1
            : operations.executionMs(job, nowMs),
      },
    }),
  },
  {
    name: "status/leaves-out-a-delay-of-zero",
    breaks: ["STAT-03"],
    describe: "delayTime is missing where the job did not wait.",
    change: ({ operations }) => ({
      operations: {
        delayMs: (job, nowMs) => {
          const delayMs = operations.delayMs(job, nowMs);
          return delayMs === 0 ? undefined : delayMs;
        },
      },
    }),
  },
  {
    name: "status/times-have-two-units",
    breaks: ["STAT-04"],
    describe: "delayTime is in milliseconds, executionTime in seconds.",
    change: ({ operations }) => ({
      operations: {
        executionMs: (job, nowMs) => {
          const executionMs = operations.executionMs(job, nowMs);
          return executionMs === undefined ? undefined : Math.round(executionMs / 1_000);
        },
      },
    }),
  },
  {
    name: "status/times-are-exchanged",
    breaks: ["STAT-05"],
    describe: "delayTime and executionTime stand in each other's place.",
    change: ({ operations }) => ({
      operations: {
        delayMs: (job, nowMs) => operations.executionMs(job, nowMs),
        executionMs: (job, nowMs) => operations.delayMs(job, nowMs),
      },
    }),
  },
  {
    name: "status/failed-job-worked-in-the-queue",
    breaks: ["STAT-05"],
    describe: "executionTime of a failed job counts from the submission.",
    change: ({ operations }) => ({
      operations: {
        executionMs: (job, nowMs) =>
          job.status === "FAILED" && job.finishedAtMs !== undefined
            ? job.finishedAtMs - job.submittedAtMs
            : operations.executionMs(job, nowMs),
      },
    }),
  },
  {
    name: "status/timed-out-job-has-not-worked",
    breaks: ["STAT-05"],
    describe: "executionTime of a job that timed out is 0.",
    change: ({ operations }) => ({
      operations: {
        executionMs: (job, nowMs) =>
          job.status === "TIMED_OUT" ? 0 : operations.executionMs(job, nowMs),
      },
    }),
  },
];

function misspelt(state: JobStatus, word: string): Fault {
  return {
    name: `status/says-${word.toLowerCase()}`,
    breaks: ["STAT-01"],
    describe: `A job that is ${state} is shown as ${word}.`,
    change: ({ operations }) => ({
      operations: {
        record: (job, context) =>
          job.status === state ? { id: job.id, status: word } : operations.record(job, context),
      },
    }),
  };
}

function showingChunksOf(state: JobStatus): Fault["change"] {
  const shows = (job: Job): boolean => job.status === state && job.chunks.length > 0;
  return ({ operations }) => ({
    operations: {
      record: (job, context) => ({
        ...operations.record(job, context),
        ...(shows(job) && { output: job.chunks }),
      }),
    },
  });
}

function withoutExecutionTime(state: JobStatus): Fault["change"] {
  return ({ operations }) => ({
    operations: {
      executionMs: (job, nowMs) =>
        job.status === state && job.startedAtMs !== undefined
          ? undefined
          : operations.executionMs(job, nowMs),
    },
  });
}

import type { Fault } from "../fault.ts";

export const runFaults: readonly Fault[] = [
  {
    name: "run/tells-the-present-state",
    breaks: ["RUNA-01"],
    describe: "run answers COMPLETED for a job that took no time.",
    change: () => ({ operations: { runStatus: (job) => job.status } }),
  },
  {
    name: "run/waits-for-the-job",
    breaks: ["RUNA-01"],
    describe: "run answers only when its job has ended.",
    change: ({ operations }) => ({
      operations: {
        waitsForJob: (job) => job.status === "IN_PROGRESS" || operations.waitsForJob(job),
        waitsForMs: (job) => (job.submittedBy === "run" ? 90_000 : job.waitMs),
      },
    }),
  },
  {
    name: "run/ten-megabytes-are-too-many",
    breaks: ["RUNA-02"],
    describe: "run refuses a payload of exactly 10,000,000 bytes.",
    change: ({ submission }) => ({
      submission: {
        payloadBytesMax: (operation) =>
          operation === "run" ? 9_999_999 : submission.payloadBytesMax(operation),
      },
    }),
  },
  {
    name: "run/has-the-limit-of-runsync",
    breaks: ["RUNA-02"],
    describe: "run accepts payloads up to 20 MB.",
    change: ({ submission }) => ({
      submission: { payloadBytesMax: () => submission.payloadBytesMax("runsync") },
    }),
  },
  {
    name: "run/large-payload-is-a-server-error",
    breaks: ["RUNA-03"],
    describe: "A payload over the limit answers 500.",
    change: () => ({ submission: { payloadRefusalStatus: () => 500 } }),
  },
  {
    name: "run/result-is-gone-early",
    breaks: ["RUNA-04"],
    describe: "The result of a run job is deleted one millisecond before its 30 minutes are over.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) => (job.submittedBy === "run" ? 1_799_999 : retention.keptMs(job)),
      },
    }),
  },
  {
    name: "run/failed-jobs-are-kept-a-minute",
    breaks: ["RUNA-04", "RETR-07"],
    describe: "A run job that failed is deleted after one minute.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) => (job.status === "FAILED" ? 60_000 : retention.keptMs(job)),
      },
    }),
  },
  {
    name: "run/result-stays-too-long",
    breaks: ["RUNA-05"],
    describe: "The result of a run job is deleted two milliseconds late.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) => (job.submittedBy === "run" ? 1_800_002 : retention.keptMs(job)),
      },
    }),
  },
  {
    name: "run/stream-outlives-the-result",
    breaks: ["RUNA-05"],
    describe: "After 30 minutes status finds nothing, but stream still does.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) => 2 * retention.keptMs(job),
        shows: (job, operation, nowMs) =>
          operation === "stream" ||
          job.finishedAtMs === undefined ||
          nowMs < job.finishedAtMs + retention.keptMs(job),
      },
    }),
  },
  {
    name: "run/retention-counts-from-submission",
    breaks: ["RUNA-06"],
    describe: "The 30 minutes begin with the submission.",
    change: () => ({ retention: { startsAtMs: (job) => job.submittedAtMs } }),
  },
  {
    name: "run/retention-counts-from-the-start",
    breaks: ["RUNA-06"],
    describe: "The 30 minutes begin when a worker takes the job.",
    change: () => ({ retention: { startsAtMs: (job, nowMs) => job.startedAtMs ?? nowMs } }),
  },
  {
    name: "run/reading-prolongs",
    breaks: ["RUNA-07"],
    describe: "Each status read starts the retention anew.",
    change: () => ({ retention: { isProlongedBy: (operation) => operation === "status" } }),
  },
  {
    name: "run/late-reading-prolongs",
    breaks: ["RUNA-07"],
    describe: "The second status read starts the retention anew.",
    change: () => {
      const reads = new Map<string, number>();
      return {
        retention: {
          isProlongedBy: (operation, { id }) => {
            if (operation !== "status") return false;
            const count = (reads.get(id) ?? 0) + 1;
            reads.set(id, count);
            return count === 2;
          },
        },
      };
    },
  },
];

import type { Fault } from "../fault.ts";
import { isFinal } from "../transitions.ts";

export const statusTtlFaults: readonly Fault[] = [
  {
    name: "status/ttl-is-in-seconds",
    breaks: ["STAT-06"],
    describe: "The ttl of status counts seconds.",
    change: () => ({
      operations: { ttlEndsAtMs: (ttlMs, _job, nowMs) => nowMs + 1_000 * ttlMs },
    }),
  },
  {
    name: "status/ttl-ends-a-millisecond-early",
    breaks: ["STAT-06"],
    describe: "A job read with ttl=6000 is kept for 5999 ms.",
    change: () => ({
      operations: { ttlEndsAtMs: (ttlMs, _job, nowMs) => nowMs + ttlMs - 1 },
    }),
  },
  {
    name: "status/ttl-ends-a-little-late",
    breaks: ["STAT-06"],
    describe: "A job read with ttl=6000 is kept for 6002 ms.",
    change: () => ({
      operations: { ttlEndsAtMs: (ttlMs, _job, nowMs) => nowMs + ttlMs + 2 },
    }),
  },
  {
    name: "status/ttl-adds-to-the-age",
    breaks: ["STAT-06"],
    describe: "The ttl of status begins as late again as the job is old.",
    change: () => ({
      operations: {
        ttlEndsAtMs: (ttlMs, { submittedAtMs }, nowMs) => 2 * nowMs - submittedAtMs + ttlMs,
      },
    }),
  },
  {
    name: "status/first-ttl-counts",
    breaks: ["STAT-06"],
    describe: "Only the first ttl given with status has an effect.",
    change: ({ operations }) => {
      const seen = new Set<string>();
      return {
        operations: {
          ttlEndsAtMs: (ttlMs, job, nowMs) => {
            if (seen.has(job.id)) return undefined;
            seen.add(job.id);
            return operations.ttlEndsAtMs(ttlMs, job, nowMs);
          },
        },
      };
    },
  },
  {
    name: "status/ttl-makes-nothing-longer",
    breaks: ["STAT-06"],
    describe: "A ttl given with status cannot be longer than that of the job's policy.",
    change: ({ lifecycle }) => ({
      operations: {
        ttlEndsAtMs: (ttlMs, job, nowMs) =>
          Math.min(nowMs + ttlMs, job.submittedAtMs + lifecycle.ttlMs(job)),
      },
    }),
  },
  {
    name: "status/ttl-may-be-a-fraction",
    breaks: ["STAT-07"],
    describe: "A ttl of 6000.5 is accepted.",
    change: () => ({ operations: { acceptsStatusTtl: (text) => Number(text) >= 1 } }),
  },
  {
    name: "status/ttl-may-be-empty",
    breaks: ["STAT-07"],
    describe: "A ttl without a value is ignored.",
    change: ({ operations }) => ({
      operations: {
        acceptsStatusTtl: (text) => text === "" || operations.acceptsStatusTtl(text),
        ttlEndsAtMs: (ttlMs, job, nowMs) =>
          ttlMs === 0 ? undefined : operations.ttlEndsAtMs(ttlMs, job, nowMs),
      },
    }),
  },
  {
    name: "status/reading-stops-the-ttl",
    breaks: ["STAT-08"],
    describe: "The ttl of a job that was read no longer counts.",
    change: ({ lifecycle }) => {
      const read = new Set<string>();
      return {
        operations: { afterRead: ({ job }) => void (job !== undefined && read.add(job.id)) },
        lifecycle: { ttlCounts: (job) => !read.has(job.id) && lifecycle.ttlCounts(job) },
      };
    },
  },
  {
    name: "status/tenth-read-takes-the-output",
    breaks: ["STAT-08"],
    describe: "The tenth read of a result finds its output empty.",
    change: () => {
      const reads = new Map<string, number>();
      return {
        operations: {
          afterRead: ({ job }) => {
            if (job === undefined || !isFinal(job.status)) return;
            const count = (reads.get(job.id) ?? 0) + 1;
            reads.set(job.id, count);
            if (count >= 9) job.output = {};
          },
        },
      };
    },
  },
  {
    name: "status/reading-adds-to-stopped-work",
    breaks: ["STAT-08"],
    describe: "Each read of a cancelled job makes its executionTime a millisecond longer.",
    change: () => ({
      operations: {
        afterRead: ({ job }) => {
          if (job?.status === "CANCELLED" && job.startedAtMs !== undefined) job.startedAtMs -= 1;
        },
      },
    }),
  },
  {
    name: "status/unknown-stream-is-empty",
    breaks: ["STAT-09"],
    describe: "stream answers 200 for an unknown job.",
    change: () => ({
      operations: { unknownJobStatus: (operation) => (operation === "stream" ? 200 : 404) },
    }),
  },
  {
    name: "status/unknown-job-is-a-conflict",
    breaks: ["STAT-09"],
    describe: "cancel answers 409 for an unknown job.",
    change: () => ({
      operations: { unknownJobStatus: (operation) => (operation === "cancel" ? 409 : 404) },
    }),
  },
  {
    name: "status/deleted-runsync-job-is-a-server-error",
    breaks: ["STAT-10"],
    describe: "status of a runsync job that was deleted answers 500.",
    change: ({ operations }) => ({
      operations: {
        unknownJobStatus: (operation, jobId) =>
          jobId.startsWith("sync-") ? 500 : operations.unknownJobStatus(operation, jobId),
      },
    }),
  },
];

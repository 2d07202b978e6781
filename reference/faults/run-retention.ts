import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";

export const runRetentionFaults: readonly Fault[] = [
  {
    name: "run/timed-out-jobs-are-kept-a-minute",
    breaks: ["RUNA-04"],
    describe: "A run job that timed out is deleted after one minute.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) => (job.status === "TIMED_OUT" ? 60_000 : retention.keptMs(job)),
      },
    }),
  },
  {
    name: "run/output-goes-before-the-record",
    breaks: ["RUNA-04"],
    describe: "Half a minute before its time a result loses its output.",
    change: ({ operations, retention }) => ({
      operations: {
        showsOutput: (job, context) =>
          operations.showsOutput(job, context) &&
          context.nowMs < (job.finishedAtMs ?? 0) + retention.keptMs(job) - 30_000,
      },
    }),
  },
  {
    name: "run/ttl-of-status-ends-a-result",
    breaks: ["RUNA-04"],
    describe: "A ttl given with status counts for a finished job too.",
    change: ({ operations }) => {
      const endsAtMs = new Map<string, number>();
      return {
        operations: {
          ttlEndsAtMs: (ttlMs, job, nowMs) => {
            if (job.finishedAtMs !== undefined) endsAtMs.set(job.id, nowMs + ttlMs);
            return operations.ttlEndsAtMs(ttlMs, job, nowMs);
          },
        },
        retention: {
          shows: ({ id }, _operation, nowMs) =>
            nowMs < (endsAtMs.get(id) ?? Number.POSITIVE_INFINITY),
        },
      };
    },
  },
  {
    name: "run/failed-jobs-stay",
    breaks: ["RUNA-05"],
    describe: "A run job that failed is never deleted.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) => (job.status === "FAILED" ? 1_000_000_000 : retention.keptMs(job)),
      },
    }),
  },
  {
    name: "run/timed-out-jobs-stay",
    breaks: ["RUNA-05"],
    describe: "A run job that timed out is never deleted.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) => (job.status === "TIMED_OUT" ? 1_000_000_000 : retention.keptMs(job)),
      },
    }),
  },
  {
    name: "run/retry-outlives-the-result",
    breaks: ["RUNA-05"],
    describe: "After 30 minutes status finds nothing, but retry brings a failed job back.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) => 2 * retention.keptMs(job),
        shows: (job, operation, nowMs) =>
          operation === "retry" || isKept(job, nowMs, retention.keptMs(job)),
      },
    }),
  },
  {
    name: "run/late-work-is-kept-from-the-start",
    breaks: ["RUNA-06"],
    describe: "The 30 minutes of a job that works for over a minute begin when a worker takes it.",
    change: () => ({
      retention: {
        startsAtMs: ({ startedAtMs = 0 }, nowMs) =>
          nowMs - startedAtMs > 60_000 ? startedAtMs : nowMs,
      },
    }),
  },
  {
    name: "run/stream-prolongs",
    breaks: ["RUNA-07"],
    describe: "Each read of its stream starts a job's retention anew.",
    change: () => ({ retention: { isProlongedBy: (operation) => operation === "stream" } }),
  },
  {
    name: "run/ttl-of-status-prolongs",
    breaks: ["RUNA-07"],
    describe: "A finished job that was read with a ttl is kept twice as long.",
    change: ({ operations, retention }) => {
      const prolonged = new Set<string>();
      return {
        operations: {
          ttlEndsAtMs: (ttlMs, job, nowMs) => {
            if (job.finishedAtMs !== undefined) prolonged.add(job.id);
            return operations.ttlEndsAtMs(ttlMs, job, nowMs);
          },
        },
        retention: {
          keptMs: (job) => 2 * retention.keptMs(job),
          shows: (job, _operation, nowMs) =>
            prolonged.has(job.id) || isKept(job, nowMs, retention.keptMs(job)),
        },
      };
    },
  },
  {
    name: "run/payload-is-counted-in-characters",
    breaks: ["RUNA-02", "SYNC-06"],
    describe: "The limits of a payload count its characters, not its bytes.",
    change: ({ submission }) => ({
      submission: {
        payloadBytesMax: (operation) => 4 * submission.payloadBytesMax(operation),
        parse: (text, operation) => {
          if (text.length > submission.payloadBytesMax(operation)) throw new RangeError("too long");
          return submission.parse(text, operation);
        },
      },
    }),
  },
];

function isKept({ finishedAtMs }: Job, nowMs: number, keptMs: number): boolean {
  return finishedAtMs === undefined || nowMs < finishedAtMs + keptMs;
}

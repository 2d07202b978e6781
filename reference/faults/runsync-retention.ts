import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";

export const runsyncRetentionFaults: readonly Fault[] = [
  {
    name: "runsync/minute-starts-with-the-submission",
    breaks: ["SYNC-07"],
    describe: "The minute of a runsync job that outlived its wait begins with the submission.",
    change: () => ({
      retention: {
        startsAtMs: (job, nowMs) => (hasOutlivedItsWait(job, nowMs) ? job.submittedAtMs : nowMs),
      },
    }),
  },
  {
    name: "runsync/failed-jobs-are-not-kept",
    breaks: ["SYNC-07"],
    describe: "A runsync job that failed is gone a second later.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) =>
          job.submittedBy === "runsync" && job.status === "FAILED" ? 1_000 : retention.keptMs(job),
      },
    }),
  },
  {
    name: "runsync/read-result-is-gone",
    breaks: ["STAT-08"],
    describe: "A runsync result can be read three times.",
    change: () => {
      const reads = new Map<string, number>();
      return {
        retention: {
          shows: ({ id, submittedBy, finishedAtMs }, operation) => {
            if (submittedBy !== "runsync" || operation !== "status") return true;
            if (finishedAtMs === undefined) return true;
            const count = (reads.get(id) ?? 0) + 1;
            reads.set(id, count);
            return count <= 3;
          },
        },
      };
    },
  },
  {
    name: "runsync/result-stays-a-little-over-5-minutes",
    breaks: ["SYNC-08"],
    describe: "A runsync result is kept for 5 minutes and 2 milliseconds.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) => (job.submittedBy === "runsync" ? 300_002 : retention.keptMs(job)),
      },
    }),
  },
  {
    name: "runsync/short-wait-shortens-the-result",
    breaks: ["SYNC-07", "SYNC-09"],
    describe: "With a wait below a minute the result is kept no longer than the wait.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) =>
          job.submittedBy === "runsync"
            ? Math.min(job.waitMs, retention.keptMs(job))
            : retention.keptMs(job),
      },
    }),
  },
  {
    name: "runsync/wait-prolongs-the-result-a-little",
    breaks: ["SYNC-09"],
    describe: "With a wait of 300000 the result is kept 2 milliseconds longer.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) => retention.keptMs(job) + (job.waitMs === 300_000 ? 2 : 0),
      },
    }),
  },
];

function hasOutlivedItsWait({ submittedBy, submittedAtMs, waitMs }: Job, nowMs: number): boolean {
  return submittedBy === "runsync" && nowMs > submittedAtMs + waitMs;
}

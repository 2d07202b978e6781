import type { Behaviour, BehaviourChange } from "../behaviour.ts";
import type { Job } from "../job.ts";
import type { Variation } from "../variation.ts";

/** Where time starts, in which unit it is told, and how long things are kept where that is open. */
export const timeVariations: readonly Variation[] = [
  {
    name: "time/clock-starts-at-an-odd-number",
    describe: "The virtual clock starts at a large odd number.",
    change: () => ({ origin: { clockMs: 1_893_456_789_013 } }),
  },
  {
    name: "time/clock-starts-before-zero",
    describe: "The virtual clock starts at a negative number.",
    change: () => ({ origin: { clockMs: -86_399_999 } }),
  },
  {
    name: "time/seconds-rounded-down",
    describe: "delayTime and executionTime are whole seconds, rounded down.",
    shows: { "STAT-04": "seconds" },
    change: ({ operations }) => inSeconds(operations, Math.floor),
  },
  {
    name: "time/seconds-rounded-up",
    describe: "delayTime and executionTime are whole seconds, rounded up.",
    shows: { "STAT-04": "seconds" },
    change: ({ operations }) => inSeconds(operations, Math.ceil),
  },
  {
    name: "time/runsync-result-is-kept-three-minutes",
    describe: "The result of a runsync job is kept for three minutes.",
    shows: { "SYNC-08": "at some point between 1 and 5 minutes" },
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) => (job.submittedBy === "runsync" ? 180_000 : retention.keptMs(job)),
      },
    }),
  },
  {
    name: "time/runsync-result-is-kept-five-minutes",
    describe: "The result of a runsync job is kept for five minutes.",
    shows: { "SYNC-08": "at some point between 1 and 5 minutes" },
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) => (job.submittedBy === "runsync" ? 300_000 : retention.keptMs(job)),
      },
    }),
  },
  {
    name: "time/status-ttl-counts-from-the-submission",
    describe: "The ttl of a status request counts from the job's submission.",
    change: () => ({
      operations: { ttlEndsAtMs: (ttlMs, job) => job.submittedAtMs + ttlMs },
    }),
  },
  {
    name: "time/ttl-goes-on-over-a-retry",
    describe: "ttl goes on over a retry instead of starting again.",
    change: () => ({ lifecycle: { ttlStartsAtMs: (job) => job.submittedAtMs } }),
  },
  {
    name: "time/delays-of-attempts-add-up",
    describe: "delayTime of a retried job is the time in the queue of all its attempts together.",
    change: ({ lifecycle, operations }) => {
      const earlierMs = new WeakMap<Job, number>();
      const totalMs = (job: Job, ownMs: number): number => (earlierMs.get(job) ?? 0) + ownMs;
      return {
        lifecycle: {
          next: (job, event) => {
            const destination = lifecycle.next(job, event);
            const ownMs = (job.startedAtMs ?? job.finishedAtMs ?? 0) - job.queuedAtMs;
            if (event === "retry" && destination !== undefined) {
              earlierMs.set(job, totalMs(job, ownMs));
            }
            return destination;
          },
        },
        operations: {
          delayMs: (job, nowMs) => {
            const ownMs = operations.delayMs(job, nowMs);
            return ownMs === undefined ? undefined : totalMs(job, ownMs);
          },
        },
      };
    },
  },
];

function inSeconds(
  { delayMs, executionMs }: Behaviour["operations"],
  round: (seconds: number) => number,
): BehaviourChange {
  const seconds = (ms: number | undefined): number | undefined =>
    ms === undefined ? undefined : round(ms / 1_000);
  return {
    operations: {
      delayMs: (job, nowMs) => seconds(delayMs(job, nowMs)),
      executionMs: (job, nowMs) => seconds(executionMs(job, nowMs)),
    },
  };
}

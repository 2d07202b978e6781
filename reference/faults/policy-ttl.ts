import type { Fault } from "../fault.ts";
import { isFinal } from "../transitions.ts";

const DAY_MS = 86_400_000;

/** Bugs in how long a job's data is kept, and in lowPriority. */
export const policyTtlFaults: readonly Fault[] = [
  {
    name: "policy/ttl-does-not-count-in-the-queue",
    breaks: ["POLI-08"],
    describe: "A job whose ttl ran out in the queue is processed when a worker is free.",
    change: () => ({ lifecycle: { ttlCounts: (job) => job.status === "IN_PROGRESS" } }),
  },
  {
    name: "policy/execution-timeout-outranks-ttl",
    breaks: ["POLI-08"],
    describe: "ttl does not count in the queue where the executionTimeout is longer.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        ttlCounts: (job) => {
          const { ttl = 0, executionTimeout = 0 } = job.submission.policy;
          const isSpared = job.status === "IN_QUEUE" && executionTimeout > ttl;
          return !isSpared && lifecycle.ttlCounts(job);
        },
      },
    }),
  },
  {
    name: "policy/expired-job-is-hidden-and-processed",
    breaks: ["POLI-08"],
    describe: "A job that expired in the queue is unknown, but a worker still takes it.",
    change: () => ({ lifecycle: { leavesQueue: (_job, event) => event !== "ttl-ran-out" } }),
  },
  {
    name: "policy/ttl-of-runsync-does-not-count-in-the-queue",
    breaks: ["POLI-08"],
    describe: "A runsync job whose ttl ran out in the queue is processed when a worker is free.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        ttlCounts: (job) =>
          lifecycle.ttlCounts(job) && (job.submittedBy === "run" || job.status === "IN_PROGRESS"),
      },
    }),
  },
  {
    name: "policy/ttl-a-little-short",
    breaks: ["POLI-08"],
    describe: "A job expires 2 ms before its ttl is over.",
    change: ({ lifecycle }) => ({ lifecycle: { ttlMs: (job) => lifecycle.ttlMs(job) - 2 } }),
  },
  {
    name: "policy/ttl-ends-with-the-queue",
    breaks: ["POLI-09"],
    describe: "ttl no longer counts once a worker has taken the job.",
    change: () => ({ lifecycle: { ttlCounts: (job) => job.status === "IN_QUEUE" } }),
  },
  {
    name: "policy/ttl-of-runsync-ends-with-the-queue",
    breaks: ["POLI-09"],
    describe: "ttl of a runsync job no longer counts once a worker has taken it.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        ttlCounts: (job) =>
          lifecycle.ttlCounts(job) && (job.submittedBy === "run" || job.status === "IN_QUEUE"),
      },
    }),
  },
  {
    name: "policy/ttl-spares-a-job-that-waited",
    breaks: ["POLI-09"],
    describe: "ttl counts in progress only for a job that did not wait in the queue.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        ttlCounts: (job) =>
          lifecycle.ttlCounts(job) &&
          (job.startedAtMs === undefined || job.startedAtMs === job.queuedAtMs),
      },
    }),
  },
  {
    name: "policy/default-ttl-too-long",
    breaks: ["POLI-10"],
    describe: "With no ttl a queued job is kept for 25 hours.",
    change: () => ({ lifecycle: { ttlMs: (job) => job.submission.policy.ttl ?? 90_000_000 } }),
  },
  {
    name: "policy/default-ttl-a-little-short",
    breaks: ["POLI-10"],
    describe: "With no ttl a queued job is kept for 2 ms less than 24 hours.",
    change: () => ({ lifecycle: { ttlMs: (job) => job.submission.policy.ttl ?? DAY_MS - 2 } }),
  },
  {
    name: "policy/no-default-ttl-beside-an-execution-timeout",
    breaks: ["POLI-10"],
    describe: "A policy with an executionTimeout and no ttl is kept for 7 days.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        ttlMs: (job) => {
          const { ttl, executionTimeout } = job.submission.policy;
          return ttl === undefined && executionTimeout !== undefined
            ? 7 * DAY_MS
            : lifecycle.ttlMs(job);
        },
      },
    }),
  },
  {
    name: "policy/ttl-capped-at-its-default",
    breaks: ["POLI-11"],
    describe: "A ttl above 24 hours is cut to them.",
    change: ({ lifecycle }) => ({
      lifecycle: { ttlMs: (job) => Math.min(lifecycle.ttlMs(job), DAY_MS) },
    }),
  },
  {
    name: "policy/ttl-of-runsync-capped-at-its-default",
    breaks: ["POLI-11"],
    describe: "A runsync job's ttl above 24 hours is cut to them.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        ttlMs: (job) =>
          job.submittedBy === "runsync"
            ? Math.min(lifecycle.ttlMs(job), DAY_MS)
            : lifecycle.ttlMs(job),
      },
    }),
  },
  {
    name: "policy/longest-ttl-is-cut",
    breaks: ["POLI-11"],
    describe: "A ttl of 7 days ends after 6.",
    change: ({ lifecycle }) => ({
      lifecycle: { ttlMs: (job) => Math.min(lifecycle.ttlMs(job), 6 * DAY_MS) },
    }),
  },
  {
    name: "policy/low-priority-adds-a-worker",
    breaks: ["POLI-12"],
    describe: "A lowPriority job adds a worker as any other.",
    change: () => ({ lifecycle: { triggersScaling: () => true } }),
  },
  {
    name: "policy/low-priority-of-runsync-adds-a-worker",
    breaks: ["POLI-12"],
    describe: "A lowPriority job from runsync adds a worker.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        triggersScaling: (job) => job.submittedBy === "runsync" || lifecycle.triggersScaling(job),
      },
    }),
  },
  {
    name: "policy/nothing-adds-a-worker",
    breaks: ["POLI-12"],
    describe: "No waiting job adds a worker.",
    change: () => ({ lifecycle: { triggersScaling: () => false } }),
  },
  {
    name: "policy/low-priority-false-adds-no-worker",
    breaks: ["POLI-12"],
    describe: "A job with a lowPriority of false adds no worker.",
    change: () => ({
      lifecycle: { triggersScaling: (job) => job.submission.policy.lowPriority === undefined },
    }),
  },
  {
    name: "policy/ttl-deletes-results",
    breaks: ["POLI-13"],
    describe: "A finished job's result is gone when its ttl is over.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        ttlCounts: () => true,
        next: (job, event) =>
          event === "ttl-ran-out" && isFinal(job.status) ? "DELETED" : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "policy/ttl-cuts-the-retention",
    breaks: ["POLI-13"],
    describe: "A result is kept for its ttl where that is shorter than its retention.",
    change: ({ retention, lifecycle }) => ({
      retention: { keptMs: (job) => Math.min(retention.keptMs(job), lifecycle.ttlMs(job)) },
    }),
  },
  {
    name: "policy/ttl-deletes-failures",
    breaks: ["POLI-13"],
    describe: "A job that failed or timed out is gone when its ttl is over.",
    change: ({ retention }) => ({
      retention: {
        shows: (job, operation, nowMs) =>
          retention.shows(job, operation, nowMs) &&
          !(
            (job.status === "FAILED" || job.status === "TIMED_OUT") &&
            nowMs >= job.submittedAtMs + (job.submission.policy.ttl ?? DAY_MS)
          ),
      },
    }),
  },
  {
    name: "policy/expired-job-stays-in-the-queue-to-see",
    breaks: ["POLI-14"],
    describe: "A job whose ttl ran out still shows the state it had.",
    change: ({ lifecycle, operations }) => {
      const shown = new WeakMap<object, "IN_QUEUE" | "IN_PROGRESS">();
      return {
        lifecycle: {
          next: (job, event) => {
            const { status } = job;
            if (event !== "ttl-ran-out" || (status !== "IN_QUEUE" && status !== "IN_PROGRESS")) {
              return lifecycle.next(job, event);
            }
            shown.set(job, status);
            return "FAILED";
          },
        },
        operations: {
          record: (job, context) => ({
            ...operations.record(job, context),
            status: shown.get(job) ?? job.status,
          }),
        },
      };
    },
  },
];

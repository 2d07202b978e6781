import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";

/** Bugs in which jobs are refused, and in what a refusal leaves as it was. */
export const retryRefusalFaults: readonly Fault[] = [
  {
    name: "retry/completed-job-runs-again",
    breaks: ["RETR-05"],
    describe: "A COMPLETED job can be retried.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "retry" && job.status === "COMPLETED" ? "IN_QUEUE" : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "retry/completed-retry-runs-again",
    breaks: ["RETR-05"],
    describe: "A job that completed after a retry can be retried.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "retry" && job.status === "COMPLETED" && job.attempt > 1
            ? "IN_QUEUE"
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "retry/queued-job-counts-an-attempt",
    breaks: ["RETR-05"],
    describe: "A job IN_QUEUE can be retried.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "retry" && job.status === "IN_QUEUE" ? "IN_QUEUE" : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "retry/twice-before-it-runs",
    breaks: ["RETR-05"],
    describe: "A job that waits for its second attempt can be retried again.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "retry" && job.status === "IN_QUEUE" && job.attempt > 1
            ? "IN_QUEUE"
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "retry/job-in-progress-begins-anew",
    breaks: ["RETR-05"],
    describe: "retry of a job IN_PROGRESS stops it and puts it back into the queue.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "retry" && job.status === "IN_PROGRESS"
            ? "IN_QUEUE"
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "retry/cancelled-job-runs-again",
    breaks: ["RETR-05"],
    describe: "A CANCELLED job can be retried.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "retry" && job.status === "CANCELLED" ? "IN_QUEUE" : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "retry/cancelled-in-the-queue-runs-again",
    breaks: ["RETR-05"],
    describe: "A job that was cancelled before a worker took it can be retried.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "retry" && job.status === "CANCELLED" && job.startedAtMs === undefined
            ? "IN_QUEUE"
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "retry/refusal-is-a-success",
    breaks: ["RETR-05"],
    describe: "A retry that is refused answers 200.",
    change: () => ({ operations: { refusedRetryStatus: 200 } }),
  },
  {
    name: "retry/refusal-removes-the-output",
    breaks: ["RETR-05"],
    describe: "A refused retry removes the output of a COMPLETED job all the same.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) => {
          if (event === "retry" && job.status === "COMPLETED") job.output = null;
          return lifecycle.next(job, event);
        },
      },
    }),
  },
  {
    name: "retry/long-after-the-retention",
    breaks: ["RETR-06"],
    describe: "A FAILED job is kept, and can be retried, for twice its retention.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) => retention.keptMs(job) * (job.status === "FAILED" ? 2 : 1),
      },
    }),
  },
  {
    name: "retry/hidden-job-after-the-retention",
    breaks: ["RETR-06"],
    describe: "A job whose retention has expired is unknown to status but can be retried.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) => 2 * retention.keptMs(job),
        shows: (job, operation, nowMs) =>
          operation === "retry" ||
          job.finishedAtMs === undefined ||
          nowMs < job.finishedAtMs + retention.keptMs(job),
      },
    }),
  },
  {
    name: "retry/timed-out-job-never-expires",
    breaks: ["RETR-06"],
    describe: "A TIMED_OUT job can be retried for a day.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) => (job.status === "TIMED_OUT" ? 86_400_000 : retention.keptMs(job)),
      },
    }),
  },
  {
    name: "retry/failed-job-kept-for-a-minute",
    breaks: ["RETR-07"],
    describe: "A FAILED job is kept, and can be retried, for a minute only.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) =>
          job.status === "FAILED" ? Math.min(60_000, retention.keptMs(job)) : retention.keptMs(job),
      },
    }),
  },
  {
    name: "retry/refused-a-little-early",
    breaks: ["RETR-07"],
    describe: "retry no longer finds a job 2 ms before its retention ends.",
    change: ({ retention }) => ({
      retention: {
        shows: (job, operation, nowMs) =>
          operation !== "retry" ||
          job.finishedAtMs === undefined ||
          nowMs < job.finishedAtMs + retention.keptMs(job) - 2,
      },
    }),
  },
  {
    name: "retry/second-failure-has-no-retention",
    breaks: ["RETR-07"],
    describe: "The retention of a job that failed again counts from its first failure.",
    change: ({ retention }) => {
      const firstAtMs = new WeakMap<Job, number>();
      return {
        retention: {
          startsAtMs: (job, nowMs) => {
            const startsAtMs = firstAtMs.get(job) ?? retention.startsAtMs(job, nowMs);
            firstAtMs.set(job, startsAtMs);
            return startsAtMs;
          },
        },
      };
    },
  },
];

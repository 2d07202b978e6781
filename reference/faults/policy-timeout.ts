import type { Fault } from "../fault.ts";

const DEFAULT_MS = 600_000;
const DAY_MS = 86_400_000;

/** Bugs in how long a job may be processed. */
export const policyTimeoutFaults: readonly Fault[] = [
  {
    name: "policy/execution-timeout-ends-nothing",
    breaks: ["POLI-04"],
    describe: "A job runs on past its executionTimeout.",
    change: () => ({ lifecycle: { executionTimeoutMs: () => 10 * 365 * DAY_MS } }),
  },
  {
    name: "policy/execution-timeout-ends-no-runsync-job",
    breaks: ["POLI-04"],
    describe: "A runsync job runs on past its executionTimeout.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        executionTimeoutMs: (job, endpointDefaultMs) =>
          job.submittedBy === "runsync"
            ? 10 * 365 * DAY_MS
            : lifecycle.executionTimeoutMs(job, endpointDefaultMs),
      },
    }),
  },
  {
    name: "policy/timed-out-job-keeps-its-worker",
    breaks: ["POLI-04"],
    describe: "The worker of a job that timed out stays busy.",
    change: () => ({
      lifecycle: { freesWorker: (_job, event) => event !== "execution-timed-out" },
    }),
  },
  {
    name: "policy/timed-out-job-is-failed",
    breaks: ["POLI-04"],
    describe: "A job that runs past its executionTimeout becomes FAILED.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "execution-timed-out" ? "FAILED" : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "policy/timed-out-job-completes-later",
    breaks: ["POLI-04"],
    describe:
      "The handler of a job that timed out runs on, and its result makes the job COMPLETED.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        stopsHandler: (_job, event) => event !== "execution-timed-out",
        next: (job, event) =>
          event === "handler-returned" && job.status === "TIMED_OUT"
            ? "COMPLETED"
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "policy/execution-timeout-a-little-early",
    breaks: ["POLI-04"],
    describe: "A job is terminated 2 ms before its executionTimeout is over.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        executionTimeoutMs: (job, endpointDefaultMs) =>
          lifecycle.executionTimeoutMs(job, endpointDefaultMs) - 2,
      },
    }),
  },
  {
    name: "policy/default-execution-timeout-a-little-late",
    breaks: ["POLI-05"],
    describe: "With no executionTimeout a job is terminated 2 ms late.",
    change: () => ({
      lifecycle: {
        executionTimeoutMs: (job, endpointDefaultMs) =>
          job.submission.policy.executionTimeout ?? endpointDefaultMs ?? DEFAULT_MS + 2,
      },
    }),
  },
  {
    name: "policy/default-execution-timeout-a-little-early",
    breaks: ["POLI-05"],
    describe: "With no executionTimeout a job is terminated 2 ms early.",
    change: () => ({
      lifecycle: {
        executionTimeoutMs: (job, endpointDefaultMs) =>
          job.submission.policy.executionTimeout ?? endpointDefaultMs ?? DEFAULT_MS - 2,
      },
    }),
  },
  {
    name: "policy/ttl-takes-the-default-execution-timeout-away",
    breaks: ["POLI-05"],
    describe: "A policy with a ttl but no executionTimeout has no default of 10 minutes.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        executionTimeoutMs: (job, endpointDefaultMs) => {
          const { ttl, executionTimeout } = job.submission.policy;
          return ttl !== undefined && executionTimeout === undefined
            ? ttl
            : lifecycle.executionTimeoutMs(job, endpointDefaultMs);
        },
      },
    }),
  },
  {
    name: "policy/execution-timeout-becomes-the-default",
    breaks: ["POLI-06"],
    describe: "A job's executionTimeout also counts for later jobs that have none.",
    change: ({ lifecycle }) => {
      let lastMs: number | undefined;
      return {
        lifecycle: {
          executionTimeoutMs: (job, endpointDefaultMs) => {
            lastMs = job.submission.policy.executionTimeout ?? lastMs;
            return lastMs ?? lifecycle.executionTimeoutMs(job, endpointDefaultMs);
          },
        },
      };
    },
  },
  {
    name: "policy/execution-timeout-capped-by-the-default",
    breaks: ["POLI-06"],
    describe: "An executionTimeout above the endpoint's default is cut to it.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        executionTimeoutMs: (job, endpointDefaultMs) =>
          Math.min(
            lifecycle.executionTimeoutMs(job, endpointDefaultMs),
            endpointDefaultMs ?? DEFAULT_MS,
          ),
      },
    }),
  },
  {
    name: "policy/execution-timeout-capped-at-a-day",
    breaks: ["POLI-06"],
    describe: "An executionTimeout above a day is cut to a day.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        executionTimeoutMs: (job, endpointDefaultMs) =>
          Math.min(lifecycle.executionTimeoutMs(job, endpointDefaultMs), DAY_MS),
      },
    }),
  },
  {
    name: "policy/endpoint-default-beats-the-job",
    breaks: ["POLI-06"],
    describe: "The endpoint's own default counts also for a job with an executionTimeout.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        executionTimeoutMs: (job, endpointDefaultMs) =>
          endpointDefaultMs ?? lifecycle.executionTimeoutMs(job, endpointDefaultMs),
      },
    }),
  },
  {
    name: "policy/execution-timeout-counts-the-queue",
    breaks: ["POLI-07"],
    describe: "executionTimeout counts from the submission.",
    change: () => ({ lifecycle: { executionTimeoutStartsAtMs: (job) => job.queuedAtMs } }),
  },
  {
    name: "policy/execution-timeout-of-runsync-counts-the-queue",
    breaks: ["POLI-07"],
    describe: "executionTimeout of a runsync job counts from the submission.",
    change: () => ({
      lifecycle: {
        executionTimeoutStartsAtMs: (job, nowMs) =>
          job.submittedBy === "runsync" ? job.queuedAtMs : nowMs,
      },
    }),
  },
];

import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";

/** Bugs where two features meet, each of which works by itself: what only one of them looks at finds nothing. */
export const encounterFaults: readonly Fault[] = [
  {
    name: "policy/low-priority-with-a-ttl-scales",
    breaks: ["POLI-12"],
    describe: "A lowPriority job with a ttl of its own adds a worker.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        triggersScaling: (job) =>
          job.submission.policy.ttl !== undefined || lifecycle.triggersScaling(job),
      },
    }),
  },
  {
    name: "policy/time-out-after-the-queue-keeps-the-worker",
    breaks: ["POLI-04"],
    describe: "A job that waited in the queue and timed out keeps its worker for ever.",
    change: () => ({
      lifecycle: {
        freesWorker: (job, event) => event !== "execution-timed-out" || !hasWaited(job),
      },
    }),
  },
  {
    name: "policy/ttl-keeps-the-worker",
    breaks: ["LIFE-03"],
    describe: "A job in progress whose ttl runs out keeps its worker for ever.",
    change: () => ({ lifecycle: { freesWorker: (_job, event) => event !== "ttl-ran-out" } }),
  },
  {
    name: "run/retried-result-is-gone-a-second-early",
    breaks: ["RUNA-04"],
    describe: "The result of a retried run job is kept a second less than 30 minutes.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) =>
          retention.keptMs(job) - (job.attempt > 1 && job.submittedBy === "run" ? 1_000 : 0),
      },
    }),
  },
  {
    name: "runsync/retried-result-is-gone-early",
    breaks: ["SYNC-07"],
    describe: "The result of a retried runsync job is kept for half a minute.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) =>
          job.attempt > 1 && job.submittedBy === "runsync" ? 30_000 : retention.keptMs(job),
      },
    }),
  },
  {
    name: "runsync/answers-when-a-worker-takes-a-waiting-job",
    breaks: ["SYNC-02"],
    describe: "runsync answers as soon as a worker takes a job that waited.",
    change: ({ webhook }) => ({
      webhook: {
        isCalledAtStart: (job) => {
          for (const waiter of job.waiters) waiter();
          job.waiters.clear();
          return webhook.isCalledAtStart(job);
        },
      },
    }),
  },
  {
    name: "cancel/runsync-job-keeps-its-worker",
    breaks: ["CANC-02"],
    describe: "A runsync job cancelled in progress keeps its worker for ever.",
    change: () => ({
      lifecycle: {
        freesWorker: (job, event) => event !== "cancel" || job.submittedBy !== "runsync",
      },
    }),
  },
  {
    name: "retry/second-retry-loses-the-webhook",
    breaks: ["RETR-08"],
    describe: "A job that was retried twice calls no webhook.",
    change: ({ webhook }) => ({
      webhook: { isCalledFor: (job) => job.attempt < 3 && webhook.isCalledFor(job) },
    }),
  },
  {
    name: "status/runsync-job-worked-in-the-queue",
    breaks: ["STAT-05"],
    describe: "executionTime of a runsync job counts from its submission.",
    change: ({ operations }) => ({
      operations: {
        executionMs: (job, nowMs) =>
          job.submittedBy === "runsync" && job.finishedAtMs !== undefined
            ? job.finishedAtMs - job.queuedAtMs
            : operations.executionMs(job, nowMs),
      },
    }),
  },
  {
    name: "status/retried-job-waited-since-its-submission",
    breaks: ["STAT-05"],
    describe: "delayTime of a retried job counts from its submission.",
    change: ({ operations }) => ({
      operations: {
        delayMs: (job, nowMs) =>
          job.startedAtMs === undefined
            ? operations.delayMs(job, nowMs)
            : job.startedAtMs - job.submittedAtMs,
      },
    }),
  },
  {
    name: "status/failed-job-goes-on-waiting",
    breaks: ["STAT-08"],
    describe: "delayTime of a failed job grows with time.",
    change: ({ operations }) => ({
      operations: {
        delayMs: (job, nowMs) =>
          job.status === "FAILED" ? nowMs - job.queuedAtMs : operations.delayMs(job, nowMs),
      },
    }),
  },
  {
    name: "purge/takes-chunks-of-jobs-in-progress",
    breaks: ["PURG-03"],
    describe: "A purge clears the stream of jobs in progress.",
    change: ({ operations }) => ({
      operations: {
        purges: (job) => {
          if (job.status === "IN_PROGRESS") job.chunks.length = 0;
          return operations.purges(job);
        },
      },
    }),
  },
  {
    name: "health/low-priority-does-not-wait",
    breaks: ["HLTH-02"],
    describe: "inQueue leaves lowPriority jobs out.",
    change: () => ({
      operations: { countsAsWaiting: (job) => job.submission.policy.lowPriority !== true },
    }),
  },
  {
    name: "policy/streaming-job-never-times-out",
    breaks: ["POLI-04"],
    describe: "A job that has yielded a chunk outlives its executionTimeout.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "execution-timed-out" && job.chunks.length > 0
            ? undefined
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "policy/short-queue-uses-up-the-timeout",
    breaks: ["POLI-07"],
    describe: "A wait of less than executionTimeout is taken off it, a longer one is not.",
    change: () => ({
      lifecycle: {
        executionTimeoutStartsAtMs: (job, nowMs) =>
          nowMs - job.queuedAtMs < (job.submission.policy.executionTimeout ?? 0)
            ? job.queuedAtMs
            : nowMs,
      },
    }),
  },
  {
    name: "s3/endpoint-url-loses-its-last-slash",
    breaks: ["S3CF-01"],
    describe: "The worker is given an endpointUrl without the slash at its end.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        handlerS3Config: (job) => {
          const s3Config = lifecycle.handlerS3Config(job);
          const url = s3Config?.["endpointUrl"];
          return typeof url === "string"
            ? { ...s3Config, endpointUrl: url.replace(/\/$/u, "") }
            : s3Config;
        },
      },
    }),
  },
  {
    name: "runsync/shortest-wait-is-too-long",
    breaks: ["SYNC-04"],
    describe: "A wait of 1000 waits for 1500 ms.",
    change: ({ operations }) => ({
      operations: {
        waitsForMs: (job) => (job.waitMs === 1_000 ? 1_500 : operations.waitsForMs(job)),
      },
    }),
  },
  {
    name: "status/runsync-job-at-work-has-null-for-output",
    breaks: ["STAT-02"],
    describe: "The record of a runsync job in progress has an output of null.",
    change: ({ operations }) => ({
      operations: {
        record: (job, context) =>
          job.submittedBy === "runsync" && job.status === "IN_PROGRESS"
            ? { ...operations.record(job, context), output: null }
            : operations.record(job, context),
      },
    }),
  },
  {
    name: "status/ttl-leaves-runsync-jobs-at-work",
    breaks: ["STAT-06"],
    describe: "A ttl given with status counts for no runsync job.",
    change: ({ operations }) => ({
      operations: {
        ttlEndsAtMs: (ttlMs, job, nowMs) =>
          job.submittedBy === "runsync" ? undefined : operations.ttlEndsAtMs(ttlMs, job, nowMs),
      },
    }),
  },
  {
    name: "retry/timed-out-job-for-ten-minutes",
    breaks: ["RETR-02"],
    describe: "A job that timed out can be retried for ten minutes only.",
    change: ({ retention }) => ({
      retention: {
        shows: (job, operation, nowMs) =>
          retention.shows(job, operation, nowMs) &&
          !(
            operation === "retry" &&
            job.status === "TIMED_OUT" &&
            nowMs - (job.finishedAtMs ?? nowMs) > 600_000
          ),
      },
    }),
  },
  {
    name: "states/cancelled-work-times-out-later",
    breaks: ["LIFE-02"],
    describe: "A job cancelled in progress is shown as TIMED_OUT ten minutes after its start.",
    change: ({ operations }) => ({
      operations: {
        record: (job, context) => ({
          ...operations.record(job, context),
          ...(job.status === "CANCELLED" &&
          context.nowMs - (job.startedAtMs ?? context.nowMs) > 600_000
            ? { status: "TIMED_OUT" }
            : {}),
        }),
      },
    }),
  },
];

/** Whether a worker was not free at once. */
export function hasWaited({ queuedAtMs, startedAtMs }: Job): boolean {
  return startedAtMs !== undefined && startedAtMs > queuedAtMs;
}

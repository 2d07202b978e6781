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
    name: "webhook/four-attempts-after-a-drop",
    breaks: ["HOOK-04"],
    describe: "A call whose connection is dropped is made four times.",
    change: () => ({
      webhook: { attemptsMax: ({ failure }) => (failure === "dropped" ? 4 : 3) },
    }),
  },
  {
    name: "webhook/failure-deletes-the-job",
    breaks: ["HOOK-09"],
    describe: "A job is deleted when the last call of its webhook has failed.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "webhook-given-up" ? "DELETED" : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "webhook/failure-prolongs-the-result",
    breaks: ["HOOK-09"],
    describe: "The first read after a webhook was given up starts the retention anew.",
    change: ({ lifecycle }) => {
      const givenUp = new WeakSet<Job>();
      return {
        lifecycle: {
          next: (job, event) => {
            if (event === "webhook-given-up") givenUp.add(job);
            return lifecycle.next(job, event);
          },
        },
        retention: { isProlongedBy: (_operation, job) => givenUp.delete(job) },
      };
    },
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
];

function hasWaited({ queuedAtMs, startedAtMs }: Job): boolean {
  return startedAtMs !== undefined && startedAtMs > queuedAtMs;
}

import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";
import { stateHandlerFaults } from "./states-handler.ts";
import { stateRaceFaults } from "./states-races.ts";
import { stateSequenceFaults } from "./states-sequences.ts";

/** What a job in progress shows after a while, by the milliseconds since a worker took it. */
function workedMs(job: Job, nowMs: number): number {
  return job.status === "IN_PROGRESS" ? nowMs - (job.startedAtMs ?? nowMs) : 0;
}

/** How long ago the job has ended; 0 of one that has not. */
function endedMs(job: Job, nowMs: number): number {
  return job.finishedAtMs === undefined ? 0 : nowMs - job.finishedAtMs;
}

/** Faults of histories, final states and workers. */
export const statesFaults: readonly Fault[] = [
  {
    name: "states/seventh-state",
    breaks: ["LIFE-01"],
    describe: "A job in progress is shown as RUNNING.",
    change: ({ operations }) => ({
      operations: {
        record: (job, context) =>
          job.status === "IN_PROGRESS"
            ? { ...operations.record(job, context), status: "RUNNING" }
            : operations.record(job, context),
      },
    }),
  },
  {
    name: "states/back-to-the-queue-at-half-time",
    breaks: ["LIFE-01"],
    describe: "A job that has worked for more than a second is shown as IN_QUEUE again.",
    change: ({ operations }) => ({
      operations: {
        record: (job, context) =>
          workedMs(job, context.nowMs) > 1_000
            ? { ...operations.record(job, context), status: "IN_QUEUE" }
            : operations.record(job, context),
      },
    }),
  },
  {
    name: "states/completed-too-soon",
    breaks: ["LIFE-01"],
    describe:
      "A job at three quarters of two seconds is shown as COMPLETED for a moment, and goes on.",
    change: ({ operations }) => ({
      operations: {
        record: (job, context) => {
          const ms = workedMs(job, context.nowMs);
          const isShown = ms >= 900 && ms <= 1_100;
          return isShown
            ? { ...operations.record(job, context), status: "COMPLETED" }
            : operations.record(job, context);
        },
      },
    }),
  },
  {
    name: "states/retried-job-is-taken-without-a-worker",
    breaks: ["LIFE-01"],
    describe: "A retried job is shown IN_PROGRESS while it waits for a worker.",
    change: ({ operations }) => ({
      operations: {
        record: (job, context) =>
          job.status === "IN_QUEUE" && job.attempt > 1
            ? { ...operations.record(job, context), status: "IN_PROGRESS" }
            : operations.record(job, context),
      },
    }),
  },
  {
    name: "states/ttl-ends-a-completed-job",
    breaks: ["LIFE-02"],
    describe: "A completed job becomes TIMED_OUT when its ttl runs out.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        ttlCounts: () => true,
        next: (job, event) =>
          event === "ttl-ran-out" && job.status === "COMPLETED"
            ? "TIMED_OUT"
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "states/ttl-ends-a-cancelled-job",
    breaks: ["LIFE-02"],
    describe: "A cancelled job becomes TIMED_OUT when its ttl runs out.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        ttlCounts: (job) => job.status === "CANCELLED" || lifecycle.ttlCounts(job),
        next: (job, event) =>
          event === "ttl-ran-out" && job.status === "CANCELLED"
            ? "TIMED_OUT"
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "states/timed-out-becomes-failed",
    breaks: ["LIFE-02"],
    describe: "A job that timed out is shown as FAILED from five seconds after its end.",
    change: ({ operations }) => ({
      operations: {
        record: (job, context) =>
          job.status === "TIMED_OUT" && endedMs(job, context.nowMs) > 4_000
            ? { ...operations.record(job, context), status: "FAILED" }
            : operations.record(job, context),
      },
    }),
  },
  {
    name: "states/failed-returns-to-the-queue",
    breaks: ["LIFE-02"],
    describe: "A failed job is shown IN_QUEUE from five minutes after its end.",
    change: ({ operations }) => ({
      operations: {
        record: (job, context) =>
          job.status === "FAILED" && endedMs(job, context.nowMs) > 300_000
            ? { ...operations.record(job, context), status: "IN_QUEUE" }
            : operations.record(job, context),
      },
    }),
  },
  {
    name: "states/late-progress-after-completion",
    breaks: ["LIFE-02"],
    describe: "The second look at a completed runsync job shows IN_PROGRESS.",
    change: ({ operations }) => {
      const looks = new Map<string, number>();
      return {
        operations: {
          record: (job, context) => {
            const record = operations.record(job, context);
            if (job.submittedBy !== "runsync" || context.operation !== "status") return record;
            const look = (looks.get(job.id) ?? 0) + 1;
            looks.set(job.id, look);
            return look === 2 && job.status === "COMPLETED"
              ? { ...record, status: "IN_PROGRESS" }
              : record;
          },
        },
      };
    },
  },
  {
    name: "states/later-endings-change-a-failed-job",
    breaks: ["LIFE-02"],
    describe: "A failed job is shown as COMPLETED once more than three other jobs have completed.",
    change: ({ lifecycle, operations }) => {
      // An endpoint is known by its queue.
      const homes = new Map<string, object>();
      const endings = new Map<object | undefined, number>();
      const failedAt = new Map<string, number>();
      const endingsBeside = (job: Job): number => endings.get(homes.get(job.id)) ?? 0;
      return {
        lifecycle: {
          takeNext: (queue) => {
            const job = lifecycle.takeNext(queue);
            if (job !== undefined) homes.set(job.id, queue);
            return job;
          },
          next: (job, event) => {
            const destination = lifecycle.next(job, event);
            if (destination === "FAILED") failedAt.set(job.id, endingsBeside(job));
            if (destination === "COMPLETED") endings.set(homes.get(job.id), endingsBeside(job) + 1);
            return destination;
          },
        },
        operations: {
          record: (job, context) =>
            job.status === "FAILED" && endingsBeside(job) - (failedAt.get(job.id) ?? 0) > 3
              ? { ...operations.record(job, context), status: "COMPLETED" }
              : operations.record(job, context),
        },
      };
    },
  },
  {
    name: "states/stream-forgets-failed-jobs",
    breaks: ["LIFE-02"],
    describe: "A failed job is forgotten when its stream is read.",
    change: ({ retention, operations }) => {
      const forgotten = new Set<string>();
      return {
        operations: {
          afterRead: (context) => {
            if (context.operation === "stream" && context.job?.status === "FAILED") {
              forgotten.add(context.job.id);
            }
            operations.afterRead(context);
          },
        },
        retention: {
          shows: (job, operation, nowMs) =>
            !forgotten.has(job.id) && retention.shows(job, operation, nowMs),
        },
      };
    },
  },
  {
    name: "states/works-without-workers",
    breaks: ["LIFE-03"],
    describe: "Jobs are processed while there is no worker.",
    change: () => ({ lifecycle: { findsWorker: () => true } }),
  },
  {
    name: "states/one-job-too-many",
    breaks: ["LIFE-03"],
    describe: "One job more than there are workers is in progress.",
    change: () => ({ lifecycle: { findsWorker: (idleWorkers) => idleWorkers >= 0 } }),
  },
  {
    name: "states/one-worker-stays-idle",
    breaks: ["LIFE-03"],
    describe: "The last idle worker takes no job.",
    change: () => ({ lifecycle: { findsWorker: (idleWorkers) => idleWorkers > 1 } }),
  },
  {
    name: "states/last-waiting-job-is-left",
    breaks: ["LIFE-03"],
    describe: "A job that waits alone in the queue is not taken.",
    change: ({ lifecycle }) => ({
      lifecycle: { takeNext: (queue) => (queue.size > 1 ? lifecycle.takeNext(queue) : undefined) },
    }),
  },
  {
    name: "states/failed-job-keeps-its-worker",
    breaks: ["LIFE-03"],
    describe: "A worker whose job has failed is never free again.",
    change: () => ({ lifecycle: { freesWorker: (_job, event) => event !== "handler-raised" } }),
  },
  {
    name: "states/crashed-worker-is-not-replaced",
    breaks: ["LIFE-03"],
    describe: "A worker that crashes for the second time on a job is not replaced.",
    change: () => ({ lifecycle: { freesWorker: (_job, event) => event !== "worker-died-again" } }),
  },
  ...stateHandlerFaults,
  ...stateRaceFaults,
  ...stateSequenceFaults,
];

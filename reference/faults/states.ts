import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";
import { afterRead, inRecord } from "./builders/answers.ts";
import {
  always,
  at,
  both,
  endedMs,
  hasStarted,
  is,
  isRetried,
  isRunsync,
} from "./builders/conditions.ts";
import { Counts } from "./builders/counts.ts";
import { onEvent } from "./builders/events.ts";
import { faultsOf } from "./builders/faults-of.ts";
import { all, also, except, remembering, replace, result, where } from "./builders/member.ts";

/** Bugs in histories, final states and workers. */
export const statesFaults: readonly Fault[] = faultsOf({
  "states/seventh-state": {
    breaks: ["LIFE-01"],
    describe: "A job in progress is shown as RUNNING.",
    change: inRecord(is("IN_PROGRESS"), { status: "RUNNING" }),
  },
  "states/back-to-the-queue-at-half-time": {
    breaks: ["LIFE-01"],
    describe: "A job that has worked for more than a second is shown as IN_QUEUE again.",
    change: inRecord((job, { nowMs }) => workedMs(job, nowMs) > 1_000, { status: "IN_QUEUE" }),
  },
  "states/completed-too-soon": {
    breaks: ["LIFE-01"],
    describe:
      "A job at three quarters of two seconds is shown as COMPLETED for a moment, and goes on.",
    change: inRecord(
      (job, { nowMs }) => workedMs(job, nowMs) >= 900 && workedMs(job, nowMs) <= 1_100,
      { status: "COMPLETED" },
    ),
  },
  "states/retried-job-is-taken-without-a-worker": {
    breaks: ["LIFE-01"],
    describe: "A retried job is shown IN_PROGRESS while it waits for a worker.",
    change: inRecord(both(is("IN_QUEUE"), isRetried), { status: "IN_PROGRESS" }),
  },
  "states/ttl-ends-a-completed-job": {
    breaks: ["LIFE-02"],
    describe: "A completed job becomes TIMED_OUT when its ttl runs out.",
    change: all(
      replace("lifecycle.ttlCounts", always),
      onEvent("ttl-ran-out", "TIMED_OUT", is("COMPLETED")),
    ),
  },
  "states/ttl-ends-a-cancelled-job": {
    breaks: ["LIFE-02"],
    describe: "A cancelled job becomes TIMED_OUT when its ttl runs out.",
    change: all(
      also("lifecycle.ttlCounts", is("CANCELLED")),
      onEvent("ttl-ran-out", "TIMED_OUT", is("CANCELLED")),
    ),
  },
  "states/timed-out-becomes-failed": {
    breaks: ["LIFE-02"],
    describe: "A job that timed out is shown as FAILED from five seconds after its end.",
    change: inRecord(
      (job, { nowMs }) => job.status === "TIMED_OUT" && endedMs(job, nowMs) > 4_000,
      { status: "FAILED" },
    ),
  },
  "states/failed-returns-to-the-queue": {
    breaks: ["LIFE-02"],
    describe: "A failed job is shown IN_QUEUE from five minutes after its end.",
    change: inRecord((job, { nowMs }) => job.status === "FAILED" && endedMs(job, nowMs) > 300_000, {
      status: "IN_QUEUE",
    }),
  },
  "states/late-progress-after-completion": {
    breaks: ["LIFE-02"],
    describe: "The second look at a completed runsync job shows IN_PROGRESS.",
    change: remembering(
      () => new Counts<Job>(),
      (looks) =>
        inRecord(
          (job, { operation }) =>
            isRunsync(job) &&
            operation === "status" &&
            looks.add(job) === 2 &&
            job.status === "COMPLETED",
          { status: "IN_PROGRESS" },
        ),
    ),
  },
  "states/later-endings-change-a-failed-job": {
    breaks: ["LIFE-02"],
    describe: "A failed job is shown as COMPLETED once more than three other jobs have completed.",
    change: remembering(
      // An endpoint is known by its queue.
      () => ({
        homes: new Map<Job, object>(),
        ended: new Counts<object | undefined>(),
        failedAt: new Map<Job, number>(),
      }),
      ({ homes, ended, failedAt }) =>
        all(
          result("lifecycle.takeNext", (job, queue) => {
            if (job !== undefined) homes.set(job, queue);
            return job;
          }),
          result("lifecycle.next", (destination, job) => {
            if (destination === "FAILED") failedAt.set(job, ended.of(homes.get(job)));
            if (destination === "COMPLETED") ended.add(homes.get(job));
            return destination;
          }),
          inRecord(
            (job) =>
              job.status === "FAILED" && ended.of(homes.get(job)) - (failedAt.get(job) ?? 0) > 3,
            { status: "COMPLETED" },
          ),
        ),
    ),
  },
  "states/stream-forgets-failed-jobs": {
    breaks: ["LIFE-02"],
    describe: "A failed job is forgotten when its stream is read.",
    change: remembering(
      () => new Set<Job>(),
      (forgotten) =>
        all(
          afterRead(
            (job, { operation }) => operation === "stream" && job.status === "FAILED",
            (job) => void forgotten.add(job),
          ),
          except("retention.shows", (job) => forgotten.has(job)),
        ),
    ),
  },
  "states/works-without-workers": {
    breaks: ["LIFE-03"],
    describe: "Jobs are processed while there is no worker.",
    change: () => ({ lifecycle: { findsWorker: () => true } }),
  },
  "states/one-job-too-many": {
    breaks: ["LIFE-03"],
    describe: "One job more than there are workers is in progress.",
    change: () => ({ lifecycle: { findsWorker: (idleWorkers) => idleWorkers >= 0 } }),
  },
  "states/one-worker-stays-idle": {
    breaks: ["LIFE-03"],
    describe: "The last idle worker takes no job.",
    change: () => ({ lifecycle: { findsWorker: (idleWorkers) => idleWorkers > 1 } }),
  },
  "states/last-waiting-job-is-left": {
    breaks: ["LIFE-03"],
    describe: "A job that waits alone in the queue is not taken.",
    change: where("lifecycle.takeNext", (queue) => queue.size <= 1, undefined),
  },
  "states/failed-job-keeps-its-worker": {
    breaks: ["LIFE-03"],
    describe: "A worker whose job has failed is never free again.",
    change: except("lifecycle.freesWorker", at("handler-raised")),
  },
  "states/crashed-worker-is-not-replaced": {
    breaks: ["LIFE-03"],
    describe: "A worker that crashes for the second time on a job is not replaced.",
    change: except("lifecycle.freesWorker", at("worker-died-again")),
  },
  "states/purge-spares-retried-jobs": {
    breaks: ["LIFE-06"],
    describe: "A purge leaves jobs in the queue that were retried.",
    change: except("operations.purges", isRetried),
  },
  "states/cancelled-retry-still-waits": {
    breaks: ["LIFE-06"],
    describe: "health counts a job among the waiting ones that was retried and then cancelled.",
    change: except("lifecycle.leavesQueue", at("cancel", isRetried)),
  },
  "states/cancelled-work-counts-as-failed": {
    breaks: ["LIFE-06"],
    describe: "health counts a job as failed that was cancelled in progress.",
    change: where("operations.countedAs", both(is("CANCELLED"), hasStarted), "failed"),
  },
  "states/timed-out-work-keeps-its-worker": {
    breaks: ["LIFE-06"],
    describe: "A worker whose job timed out is busy until the job would have ended.",
    change: all(
      except("lifecycle.freesWorker", at("execution-timed-out")),
      except("lifecycle.stopsHandler", at("execution-timed-out")),
    ),
  },
  "states/each-cancel-frees-a-worker": {
    breaks: ["LIFE-07"],
    describe: "Each further cancel of a job that was in progress frees another worker.",
    change: replace(
      "operations.workersFreedBesides",
      (job, wasAccepted) => !wasAccepted && job.status === "CANCELLED" && hasStarted(job),
    ),
  },
  "states/cancel-after-a-retry-times-out": {
    breaks: ["LIFE-07"],
    describe: "A job that is cancelled while it waits for its second attempt becomes TIMED_OUT.",
    change: onEvent("cancel", "TIMED_OUT", both(is("IN_QUEUE"), isRetried)),
  },
  "states/second-look-at-a-waiting-job-shows-it-working": {
    breaks: ["LIFE-01"],
    describe: "Every second status of a waiting job shows IN_PROGRESS.",
    change: remembering(
      () => new Counts<Job>(),
      (looks) =>
        inRecord((job) => looks.add(job) % 2 === 0 && job.status === "IN_QUEUE", {
          status: "IN_PROGRESS",
        }),
    ),
  },
  "states/cancelled-work-times-out-later": {
    breaks: ["LIFE-02"],
    describe: "A job cancelled in progress is shown as TIMED_OUT ten minutes after its start.",
    change: inRecord(
      (job, { nowMs }) =>
        job.status === "CANCELLED" && nowMs - (job.startedAtMs ?? nowMs) > 600_000,
      { status: "TIMED_OUT" },
    ),
  },
});

/** How long a job in progress has been worked on. */
function workedMs({ status, startedAtMs }: Job, nowMs: number): number {
  return status === "IN_PROGRESS" ? nowMs - (startedAtMs ?? nowMs) : 0;
}

import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import { afterRead, inRecord } from "./builders/answers.ts";
import { all, fault, remembering, withCounts } from "./builders/compose.ts";
import { always, at, both, is } from "./builders/conditions.ts";
import { onEvent } from "./builders/events.ts";
import { endedMs, hasStarted, isRetried, isRunsync } from "./builders/jobs.ts";
import { marking } from "./builders/marks.ts";
import { except, instead, replace, result } from "./builders/member.ts";
import { withHomes } from "./builders/numbers.ts";

/** Bugs in histories, final states and workers. */
export const statesFaults: readonly Fault[] = [
  fault("states/seventh-state", ["LIFE-01", "STAT-01"], {
    describe: "A job in progress is shown as RUNNING.",
    change: inRecord({ status: "RUNNING" }, is("IN_PROGRESS")),
  }),
  fault("states/back-to-the-queue-at-half-time", ["LIFE-01"], {
    describe: "A job that has worked for more than a second is shown as IN_QUEUE again.",
    change: inRecord({ status: "IN_QUEUE" }, (job, { nowMs }) => workedMs(job, nowMs) > 1_000),
  }),
  fault("states/completed-too-soon", ["LIFE-01"], {
    describe:
      "A job at three quarters of two seconds is shown as COMPLETED for a moment, and goes on.",
    change: inRecord(
      { status: "COMPLETED" },
      (job, { nowMs }) => workedMs(job, nowMs) >= 900 && workedMs(job, nowMs) <= 1_100,
    ),
  }),
  fault("states/retried-job-is-taken-without-a-worker", ["LIFE-01"], {
    describe: "A retried job is shown IN_PROGRESS while it waits for a worker.",
    change: inRecord({ status: "IN_PROGRESS" }, both(is("IN_QUEUE"), isRetried)),
  }),
  fault("states/ttl-ends-a-completed-job", ["LIFE-02"], {
    describe: "A completed job becomes TIMED_OUT when its ttl runs out.",
    change: all(
      replace("lifecycle.ttlCounts", always),
      onEvent("ttl-ran-out", "TIMED_OUT", is("COMPLETED")),
    ),
  }),
  fault("states/timed-out-becomes-failed", ["LIFE-02"], {
    describe: "A job that timed out is shown as FAILED from five seconds after its end.",
    change: inRecord(
      { status: "FAILED" },
      (job, { nowMs }) => job.status === "TIMED_OUT" && endedMs(job, nowMs) > 4_000,
    ),
  }),
  fault("states/failed-returns-to-the-queue", ["LIFE-02"], {
    describe: "A failed job is shown IN_QUEUE from five minutes after its end.",
    change: inRecord(
      { status: "IN_QUEUE" },
      (job, { nowMs }) => job.status === "FAILED" && endedMs(job, nowMs) > 300_000,
    ),
  }),
  fault("states/late-progress-after-completion", ["LIFE-02"], {
    describe: "The second look at a completed runsync job shows IN_PROGRESS.",
    change: withCounts((looks) =>
      inRecord(
        { status: "IN_PROGRESS" },
        (job, { operation }) =>
          isRunsync(job) &&
          operation === "status" &&
          looks.add(job) === 2 &&
          job.status === "COMPLETED",
      ),
    ),
  }),
  fault("states/later-endings-change-a-failed-job", ["LIFE-02"], {
    describe: "A failed job is shown as COMPLETED once more than three other jobs have completed.",
    change: withHomes((homeOf) =>
      withCounts<string>((completed) =>
        remembering(new Map<Job, number>(), (completedBefore) => [
          result("lifecycle.next", (destination, job) => {
            if (destination === "FAILED") completedBefore.set(job, completed.of(homeOf(job)));
            if (destination === "COMPLETED") completed.add(homeOf(job));
            return destination;
          }),
          inRecord({ status: "COMPLETED" }, (job) => {
            const since = completed.of(homeOf(job)) - (completedBefore.get(job) ?? 0);
            return job.status === "FAILED" && since > 3;
          }),
        ]),
      ),
    ),
  }),
  fault("states/stream-forgets-failed-jobs", ["LIFE-02"], {
    describe: "A failed job is forgotten when its stream is read.",
    change: marking(
      (mark) =>
        afterRead((job, { operation }) => operation === "stream" && is("FAILED")(job), mark),
      (isForgotten) => except("retention.shows", isForgotten),
    ),
  }),
  fault("states/one-job-too-many", ["LIFE-03"], {
    describe: "One job more than there are workers is in progress.",
    change: () => ({ lifecycle: { findsWorker: (idleWorkers) => idleWorkers >= 0 } }),
  }),
  fault("states/one-worker-stays-idle", ["LIFE-03"], {
    describe: "The last idle worker takes no job.",
    change: () => ({ lifecycle: { findsWorker: (idleWorkers) => idleWorkers > 1 } }),
  }),
  fault("states/last-waiting-job-is-left", ["LIFE-03"], {
    describe: "A job that waits alone in the queue is not taken.",
    change: instead("lifecycle.takeNext", undefined, (queue) => queue.size <= 1),
  }),
  fault("states/failed-job-keeps-its-worker", ["LIFE-03"], {
    describe: "A worker whose job has failed is never free again.",
    change: except("lifecycle.freesWorker", at("handler-raised")),
  }),
  fault("states/cancelled-retry-still-waits", ["LIFE-06"], {
    describe: "health counts a job among the waiting ones that was retried and then cancelled.",
    change: except("lifecycle.leavesQueue", at("cancel", isRetried)),
  }),
  fault("states/cancelled-work-counts-as-failed", ["LIFE-06"], {
    describe: "health counts a job as failed that was cancelled in progress.",
    change: instead("operations.countedAs", "failed", both(is("CANCELLED"), hasStarted)),
  }),
  fault("states/timed-out-work-keeps-its-worker", ["LIFE-06"], {
    describe: "A worker whose job timed out is busy until the job would have ended.",
    change: all(
      except("lifecycle.freesWorker", at("execution-timed-out")),
      except("lifecycle.stopsHandler", at("execution-timed-out")),
    ),
  }),
  fault("states/each-cancel-frees-a-worker", ["LIFE-07"], {
    describe: "Each further cancel of a job that was in progress frees another worker.",
    change: replace(
      "operations.workersFreedBesides",
      (job, wasAccepted) => !wasAccepted && job.status === "CANCELLED" && hasStarted(job),
    ),
  }),
  fault("states/cancel-after-a-retry-times-out", ["LIFE-07"], {
    describe: "A job that is cancelled while it waits for its second attempt becomes TIMED_OUT.",
    change: onEvent("cancel", "TIMED_OUT", both(is("IN_QUEUE"), isRetried)),
  }),
  fault("states/second-look-at-a-waiting-job-shows-it-working", ["LIFE-01"], {
    describe: "Every second status of a waiting job shows IN_PROGRESS.",
    change: withCounts((looks) =>
      inRecord(
        { status: "IN_PROGRESS" },
        (job) => looks.add(job) % 2 === 0 && job.status === "IN_QUEUE",
      ),
    ),
  }),
  fault("states/cancelled-work-times-out-later", ["LIFE-02"], {
    describe: "A job cancelled in progress is shown as TIMED_OUT ten minutes after its start.",
    change: inRecord(
      { status: "TIMED_OUT" },
      (job, { nowMs }) =>
        job.status === "CANCELLED" && nowMs - (job.startedAtMs ?? nowMs) > 600_000,
    ),
  }),
];

/** How long a job in progress has been worked on, in milliseconds; 0 in other states. */
function workedMs({ status, startedAtMs }: Job, nowMs: number): number {
  return status === "IN_PROGRESS" ? nowMs - (startedAtMs ?? nowMs) : 0;
}

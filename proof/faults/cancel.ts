import type { AnswerContext } from "../../reference/behaviour/operations.ts";
import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import { inAnswer, inRecord } from "./builders/answers.ts";
import { all, fault, remembering, withCounts } from "./builders/compose.ts";
import { at, both, is, type JobCondition, not } from "./builders/conditions.ts";
import { atEvent, onEvent, refuseEvent } from "./builders/events.ts";
import {
  endedMs,
  hasEnded,
  hasStarted,
  isRetried,
  isRunsync,
  isCancelledInTheQueue,
} from "./builders/jobs.ts";
import { afterEvent } from "./builders/marks.ts";
import { except, instead, whenever } from "./builders/member.ts";
import { withHomes } from "./builders/numbers.ts";

/** Bugs in which jobs can be cancelled, and in what a cancel does. */
export const cancelFaults: readonly Fault[] = [
  fault("cancel/queued-job-stays-in-the-queue", ["CANC-01"], {
    describe: "A job cancelled in the queue is processed when a worker is free.",
    change: all(
      except("lifecycle.leavesQueue", at("cancel")),
      onEvent("worker-took", "IN_PROGRESS", is("CANCELLED")),
    ),
  }),
  fault("cancel/answer-tells-the-old-state", ["CANC-01", "CANC-02"], {
    describe: "The answer of cancel says IN_QUEUE.",
    change: inAnswer("cancel", (body) => ({ ...body, status: "IN_QUEUE" })),
  }),
  fault("cancel/handler-runs-on", ["CANC-02"], {
    describe: "A job cancelled in progress runs on and completes.",
    change: all(
      except("lifecycle.stopsHandler", at("cancel")),
      onEvent("handler-returned", "COMPLETED", is("CANCELLED")),
    ),
  }),
  fault("cancel/worker-works-to-the-end", ["CANC-02"], {
    describe: "The worker of a cancelled job is free only when the job would have ended.",
    change: all(
      except("lifecycle.freesWorker", at("cancel")),
      except("lifecycle.stopsHandler", at("cancel")),
    ),
  }),
  fault("cancel/waits-for-the-handler", ["CANC-03"], {
    describe: "Cancelling a job in progress is answered five seconds later.",
    change: instead("operations.answersAfterMs", 5_000, isCancelOf(hasStarted)),
  }),
  fault("cancel/failed-job-becomes-cancelled", ["CANC-05"], {
    describe: "Cancelling a failed job makes it CANCELLED.",
    change: onEvent("cancel", "CANCELLED", is("FAILED")),
  }),
  fault("cancel/completed-job-loses-its-output", ["CANC-05"], {
    describe: "Cancelling a completed job is refused but empties its output.",
    change: atEvent("cancel", (job) => void (job.output = {}), is("COMPLETED")),
  }),
  fault("cancel/queued-runsync-job-cannot-be-cancelled", ["CANC-01"], {
    describe: "cancel refuses a job of runsync that waits in the queue.",
    change: refuseEvent("cancel", both(is("IN_QUEUE"), isRunsync)),
  }),
  fault("cancel/second-attempt-cannot-be-cancelled", ["CANC-01"], {
    describe: "cancel refuses a job that waits for another attempt.",
    change: refuseEvent("cancel", both(is("IN_QUEUE"), isRetried)),
  }),
  fault("cancel/queue-is-swept-by-workers-only", ["CANC-01"], {
    describe: "A cancelled job counts as waiting until a worker comes by.",
    change: except("lifecycle.leavesQueue", at("cancel")),
  }),
  fault("cancel/stream-runs-on", ["CANC-02"], {
    describe: "The handler of a cancelled job is not stopped and goes on to yield chunks.",
    change: except("lifecycle.stopsHandler", at("cancel")),
  }),
  fault("cancel/queued-job-waits-for-a-worker", ["CANC-03"], {
    describe: "Cancelling a queued job is answered a millisecond later.",
    change: instead("operations.answersAfterMs", 1, isCancelOf(not(hasStarted))),
  }),
  fault("cancel/shows-null-output", ["CANC-04"], {
    describe: "The record of a cancelled runsync job has an output of null.",
    change: inRecord({ output: null }, both(is("CANCELLED"), isRunsync)),
  }),
  fault("cancel/job-cancelled-in-the-queue-is-gone", ["CANC-04"], {
    describe: "A job cancelled in the queue is deleted instead of shown as CANCELLED.",
    change: except("retention.shows", isCancelledInTheQueue),
  }),
  fault("cancel/timed-out-job-becomes-cancelled", ["CANC-05"], {
    describe: "Cancelling a job that has timed out makes it CANCELLED.",
    change: onEvent("cancel", "CANCELLED", is("TIMED_OUT")),
  }),
  fault("cancel/second-cancel-of-a-completed-job-succeeds", ["CANC-05"], {
    describe: "The second cancel of a completed job makes it CANCELLED.",
    change: withCounts((asked) =>
      onEvent("cancel", "CANCELLED", (job) => job.status === "COMPLETED" && asked.add(job) > 1),
    ),
  }),
  fault("cancel/completed-retry-becomes-cancelled", ["CANC-05"], {
    describe: "Cancelling a job that completed on a later attempt makes it CANCELLED.",
    change: onEvent("cancel", "CANCELLED", both(is("COMPLETED"), isRetried)),
  }),
  fault("cancel/finished-runsync-result-goes-sooner", ["CANC-05"], {
    describe: "Cancelling a completed runsync job hides its result some time later.",
    change: afterEvent("cancel", both(is("COMPLETED"), isRunsync), (wasCancelled) =>
      except(
        "retention.shows",
        (job, _operation, nowMs) => wasCancelled(job) && endedMs(job, nowMs) >= 30_000,
      ),
    ),
  }),
  fault("cancel/finished-job-is-forbidden", ["CANC-06"], {
    describe: "Cancelling a finished job answers 403.",
    change: () => ({ operations: { finishedCancelStatus: 403 } }),
  }),
  fault("cancel/second-cancel-is-a-failure", ["CANC-05"], {
    describe: "Cancelling a cancelled job makes it FAILED.",
    change: onEvent("cancel", "FAILED", is("CANCELLED")),
  }),
  fault("cancel/frees-two-workers", ["CANC-02"], {
    describe: "Cancelling a job in progress frees a worker more than the job had.",
    change: () => ({ operations: { workersFreedBesides: (_job, wasAccepted) => wasAccepted } }),
  }),
  fault("cancel/runsync-job-keeps-its-worker", ["CANC-02"], {
    describe: "A runsync job cancelled in progress keeps its worker for ever.",
    change: except("lifecycle.freesWorker", at("cancel", isRunsync)),
  }),
  fault("cancel/looks-at-the-first-hundred", ["CANC-01"], {
    describe: "A cancel is answered, but leaves a job that more than 100 others wait before.",
    change: withHomes((homeOf) =>
      remembering(new Map<string, Set<Job>>(), (queues) => [
        whenever("lifecycle.entersQueue", (job) => {
          const queue = queues.get(homeOf(job)) ?? new Set<Job>();
          queues.set(homeOf(job), queue.add(job));
        }),
        onEvent("cancel", "IN_QUEUE", (job) => {
          const waiting = [...(queues.get(homeOf(job)) ?? [])].filter(is("IN_QUEUE"));
          return waiting.indexOf(job) >= 100;
        }),
      ]),
    ),
  }),
  fault("cancel/finished-job-loses-its-times", ["STAT-05"], {
    describe: "Cancelling a finished job is refused but sets its executionTime to 0.",
    change: afterEvent("cancel", hasEnded, (wasCancelled) =>
      instead("operations.executionMs", 0, wasCancelled),
    ),
  }),
];

/** Holds for answers of cancel about a job for which `condition` holds. */
function isCancelOf(condition: JobCondition): (context: AnswerContext) => boolean {
  return ({ operation, job }) => operation === "cancel" && job !== undefined && condition(job);
}

import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";
import { inRecord } from "./builders/answers.ts";
import { at, both, endedMs, hasStarted, is, isRetried, isRunsync } from "./builders/conditions.ts";
import { Counts } from "./builders/counts.ts";
import { atEvent, onEvent, refuseEvent } from "./builders/events.ts";
import { faultsOf } from "./builders/faults-of.ts";
import { all, except, remembering, where } from "./builders/member.ts";

/** Bugs in which jobs can be cancelled, and in what a cancel does. */
export const cancelFaults: readonly Fault[] = faultsOf({
  "cancel/queued-job-stays-in-the-queue": {
    breaks: ["CANC-01"],
    describe: "A job cancelled in the queue is processed when a worker is free.",
    change: all(
      except("lifecycle.leavesQueue", at("cancel")),
      onEvent("worker-took", "IN_PROGRESS", is("CANCELLED")),
    ),
  },
  "cancel/queued-job-cannot-be-cancelled": {
    breaks: ["CANC-01"],
    describe: "cancel refuses a job that waits in the queue.",
    change: refuseEvent("cancel", is("IN_QUEUE")),
  },
  "cancel/answer-tells-the-old-state": {
    breaks: ["CANC-01", "CANC-02"],
    describe: "The answer of cancel says IN_QUEUE.",
    change: () => ({ operations: { cancelStatus: () => "IN_QUEUE" } }),
  },
  "cancel/handler-runs-on": {
    breaks: ["CANC-02"],
    describe: "A job cancelled in progress runs on and completes.",
    change: all(
      except("lifecycle.stopsHandler", at("cancel")),
      onEvent("handler-returned", "COMPLETED", is("CANCELLED")),
    ),
  },
  "cancel/worker-stays-busy": {
    breaks: ["CANC-02"],
    describe: "The worker of a cancelled job is never free again.",
    change: except("lifecycle.freesWorker", at("cancel")),
  },
  "cancel/worker-works-to-the-end": {
    breaks: ["CANC-02"],
    describe: "The worker of a cancelled job is free only when the job would have ended.",
    change: all(
      except("lifecycle.freesWorker", at("cancel")),
      except("lifecycle.stopsHandler", at("cancel")),
    ),
  },
  "cancel/waits-for-the-handler": {
    breaks: ["CANC-03"],
    describe: "Cancelling a job in progress is answered five seconds later.",
    change: where("operations.cancelTakesMs", hasStarted, 5_000),
  },
  "cancel/status-shows-failed": {
    breaks: ["CANC-04"],
    describe: "A job cancelled in progress is shown as FAILED.",
    change: inRecord(both(is("CANCELLED"), hasStarted), { status: "FAILED" }),
  },
  "cancel/leaves-partial-output": {
    breaks: ["CANC-04"],
    describe: "A cancelled job shows what it had yielded as its output.",
    change: inRecord(is("CANCELLED"), ({ chunks }) => ({ output: [...chunks] })),
  },
  "cancel/completed-job-becomes-cancelled": {
    breaks: ["CANC-05"],
    describe: "Cancelling a completed job makes it CANCELLED.",
    change: onEvent("cancel", "CANCELLED", is("COMPLETED")),
  },
  "cancel/failed-job-becomes-cancelled": {
    breaks: ["CANC-05"],
    describe: "Cancelling a failed job makes it CANCELLED.",
    change: onEvent("cancel", "CANCELLED", is("FAILED")),
  },
  "cancel/completed-job-loses-its-output": {
    breaks: ["CANC-05"],
    describe: "Cancelling a completed job is refused but empties its output.",
    change: atEvent("cancel", (job) => void (job.output = {}), is("COMPLETED")),
  },
  "cancel/finished-job-is-a-server-error": {
    breaks: ["CANC-06"],
    describe: "Cancelling a finished job answers 500.",
    change: () => ({ operations: { finishedCancelStatus: 500 } }),
  },
  "cancel/queued-runsync-job-cannot-be-cancelled": {
    breaks: ["CANC-01"],
    describe: "cancel refuses a job of runsync that waits in the queue.",
    change: refuseEvent("cancel", both(is("IN_QUEUE"), isRunsync)),
  },
  "cancel/second-attempt-cannot-be-cancelled": {
    breaks: ["CANC-01"],
    describe: "cancel refuses a job that waits for another attempt.",
    change: refuseEvent("cancel", both(is("IN_QUEUE"), isRetried)),
  },
  "cancel/queue-is-swept-by-workers-only": {
    breaks: ["CANC-01"],
    describe: "A cancelled job counts as waiting until a worker comes by.",
    change: except("lifecycle.leavesQueue", at("cancel")),
  },
  "cancel/stream-runs-on": {
    breaks: ["CANC-02"],
    describe: "The handler of a cancelled job is not stopped and goes on to yield chunks.",
    change: except("lifecycle.stopsHandler", at("cancel")),
  },
  "cancel/queued-job-waits-for-a-worker": {
    breaks: ["CANC-03"],
    describe: "Cancelling a queued job is answered a millisecond later.",
    change: where("operations.cancelTakesMs", (job) => !hasStarted(job), 1),
  },
  "cancel/shows-null-output": {
    breaks: ["CANC-04"],
    describe: "The record of a cancelled runsync job has an output of null.",
    change: inRecord(both(is("CANCELLED"), isRunsync), { output: null }),
  },
  "cancel/job-is-gone-after-half-a-minute": {
    breaks: ["CANC-04"],
    describe: "A cancelled job is kept for 30 seconds only.",
    change: where("retention.keptMs", is("CANCELLED"), 30_000),
  },
  "cancel/job-cancelled-in-the-queue-is-gone": {
    breaks: ["CANC-04"],
    describe: "A job cancelled in the queue is deleted instead of shown as CANCELLED.",
    change: except("retention.shows", (job) => job.status === "CANCELLED" && !hasStarted(job)),
  },
  "cancel/timed-out-job-becomes-cancelled": {
    breaks: ["CANC-05"],
    describe: "Cancelling a job that has timed out makes it CANCELLED.",
    change: onEvent("cancel", "CANCELLED", is("TIMED_OUT")),
  },
  "cancel/second-cancel-of-a-completed-job-succeeds": {
    breaks: ["CANC-05"],
    describe: "The second cancel of a completed job makes it CANCELLED.",
    change: remembering(
      () => new Counts<Job>(),
      (asked) =>
        onEvent("cancel", "CANCELLED", (job) => job.status === "COMPLETED" && asked.add(job) > 1),
    ),
  },
  "cancel/completed-retry-becomes-cancelled": {
    breaks: ["CANC-05"],
    describe: "Cancelling a job that completed on a later attempt makes it CANCELLED.",
    change: onEvent("cancel", "CANCELLED", both(is("COMPLETED"), isRetried)),
  },
  "cancel/finished-runsync-result-goes-sooner": {
    breaks: ["CANC-05"],
    describe: "Cancelling a completed runsync job hides its result some time later.",
    change: remembering(
      () => new Set<Job>(),
      (asked) =>
        all(
          atEvent("cancel", (job) => void asked.add(job), both(is("COMPLETED"), isRunsync)),
          except(
            "retention.shows",
            (job, _operation, nowMs) => asked.has(job) && endedMs(job, nowMs) >= 30_000,
          ),
        ),
    ),
  },
  "cancel/finished-job-is-forbidden": {
    breaks: ["CANC-06"],
    describe: "Cancelling a finished job answers 403.",
    change: () => ({ operations: { finishedCancelStatus: 403 } }),
  },
  "cancel/second-cancel-is-a-failure": {
    breaks: ["CANC-05"],
    describe: "Cancelling a cancelled job makes it FAILED.",
    change: onEvent("cancel", "FAILED", is("CANCELLED")),
  },
  "cancel/frees-two-workers": {
    breaks: ["CANC-02"],
    describe: "Cancelling a job in progress frees a worker more than the job had.",
    change: () => ({ operations: { workersFreedBesides: (_job, wasAccepted) => wasAccepted } }),
  },
  "cancel/runsync-job-keeps-its-worker": {
    breaks: ["CANC-02"],
    describe: "A runsync job cancelled in progress keeps its worker for ever.",
    change: except("lifecycle.freesWorker", at("cancel", isRunsync)),
  },
});

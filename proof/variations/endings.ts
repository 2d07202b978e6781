import { remembering } from "../faults/builders/compose.ts";
import { is } from "../faults/builders/conditions.ts";
import { instead, result, type Change } from "../faults/builders/member.ts";
import type { Job } from "../../reference/job.ts";
import type { TransitionEvent } from "../../reference/transitions.ts";
import type { JobStatus } from "../../openapi/schemas.ts";
import { variation, type Variation } from "./variation.ts";

/** How jobs end where the specification does not say it: expiry, purge, crash, a late cancel, a failed runsync. */
export const endingVariations: readonly Variation[] = [
  variation("endings/expired-job-is-timed-out", {
    describe: "A job whose ttl ran out stays as TIMED_OUT, and retry takes it.",
    shows: { "POLI-14": "200 with TIMED_OUT" },
    change: leading("ttl-ran-out", "TIMED_OUT"),
  }),
  variation("endings/expired-job-is-failed", {
    describe: "A job whose ttl ran out stays as FAILED, and retry takes it.",
    shows: { "POLI-14": "200 with FAILED" },
    change: leading("ttl-ran-out", "FAILED"),
  }),
  variation("endings/expired-job-is-failed-and-not-counted", {
    describe: "A job whose ttl ran out stays as FAILED, is not counted, and cannot be retried.",
    shows: { "POLI-14": "200 with FAILED" },
    change: failedForGood("ttl-ran-out"),
  }),
  variation("endings/expired-job-is-cancelled", {
    describe: "A job whose ttl ran out stays as CANCELLED.",
    shows: { "POLI-14": "200 with CANCELLED" },
    change: leading("ttl-ran-out", "CANCELLED"),
  }),
  variation("endings/purged-job-is-cancelled", {
    describe: "A purged job stays as CANCELLED.",
    shows: { "PURG-06": "200 with CANCELLED" },
    change: leading("purge", "CANCELLED"),
  }),
  variation("endings/purged-job-is-failed", {
    describe: "A purged job stays as FAILED, and retry takes it.",
    shows: { "PURG-06": "200 with FAILED" },
    change: leading("purge", "FAILED"),
  }),
  variation("endings/purged-job-is-failed-and-not-counted", {
    describe: "A purged job stays as FAILED, is not counted, and cannot be retried.",
    shows: { "PURG-06": "200 with FAILED" },
    change: failedForGood("purge"),
  }),
  variation("endings/timed-out-jobs-count-as-failed", {
    describe: "health counts a TIMED_OUT job as failed.",
    change: instead("operations.countedAs", "failed", is("TIMED_OUT")),
  }),
  variation("endings/crashed-job-fails-at-once", {
    describe: "A job whose worker dies is FAILED without another try.",
    shows: { "LIFE-05": "the job ends FAILED" },
    change: () => ({ lifecycle: { dispatchesMax: 1 } }),
  }),
  variation("endings/crashed-job-has-three-tries", {
    describe: "A job whose worker dies is handed to two more workers before it is FAILED.",
    change: () => ({ lifecycle: { dispatchesMax: 3 } }),
  }),
  variation("endings/crash-is-a-server-error-of-runsync", {
    describe: "runsync answers 500 where the worker died, and 200 where the handler failed.",
    change: () => ({
      lifecycle: { dispatchesMax: 1 },
      operations: {
        failedRunsyncStatus: (job) => (job.error?.includes("died") === true ? 500 : 200),
      },
    }),
  }),
  variation("endings/failed-runsync-is-a-server-error", {
    describe: "runsync answers 500 with the record where the job failed.",
    shows: { "SYNC-10": "500" },
    change: () => ({ operations: { failedRunsyncStatus: () => 500 } }),
  }),
  variation("endings/failed-runsync-is-a-bare-server-error", {
    describe: "runsync answers 500 with an error body, and no id, where the job failed.",
    shows: { "SYNC-10": "500" },
    change: ({ operations }) => ({
      operations: {
        failedRunsyncStatus: () => 500,
        shape: (body, context) =>
          context.operation === "runsync" && context.job?.status === "FAILED"
            ? operations.errorBody(500, "Internal Server Error", "the worker failed")
            : operations.shape(body, context),
      },
    }),
  }),
  variation("endings/late-cancel-is-not-found", {
    describe: "Cancelling a finished job answers 404.",
    shows: { "CANC-06": "404" },
    change: () => ({ operations: { finishedCancelStatus: 404 } }),
  }),
  variation("endings/late-cancel-is-a-conflict", {
    describe: "Cancelling a finished job answers 409.",
    shows: { "CANC-06": "409" },
    change: () => ({ operations: { finishedCancelStatus: 409 } }),
  }),
  variation("endings/late-cancel-tells-the-state", {
    describe: "Cancelling a finished job answers 200 with the state it has.",
    shows: { "CANC-06": "200 with the unchanged status" },
    change: () => ({ operations: { finishedCancelStatus: 200 } }),
  }),
  variation("endings/late-cancel-says-cancelled", {
    describe: "Cancelling a finished job answers 200 with CANCELLED and leaves the job as it is.",
    shows: { "CANC-06": "200 with CANCELLED in the answer alone" },
    change: () => ({
      operations: { finishedCancelStatus: 200, finishedCancelShows: () => "CANCELLED" },
    }),
  }),
  variation("endings/failures-have-no-message", {
    describe: "The record of a failed job has no member but those the specification names.",
    change: () => ({ lifecycle: { keptError: () => undefined } }),
  }),
];

/** Lets the event lead jobs to this state where it would delete them. */
function leading(event: TransitionEvent, to: JobStatus): Change {
  return result("lifecycle.next", (destination, _job, happened) =>
    happened === event && destination === "DELETED" ? to : destination,
  );
}

/** Lets the event end jobs as FAILED where it would delete them; they are not counted, and retry refuses them. */
function failedForGood(event: TransitionEvent): Change {
  return remembering(new Set<Job>(), (ended) => [
    result("lifecycle.next", (destination, job, happened) => {
      if (happened === "retry" && ended.has(job)) return undefined;
      if (happened !== event || destination !== "DELETED") return destination;
      ended.add(job);
      return "FAILED";
    }),
    instead("operations.countedAs", undefined, (job) => ended.has(job)),
  ]);
}

import type { Behaviour, BehaviourChange } from "../behaviour.ts";
import type { TransitionEvent, JobStatus } from "../transitions.ts";
import type { Variation } from "../variation.ts";

/** How jobs end where the specification does not say it: expiry, purge, crash, a late cancel, a failed runsync. */
export const endingVariations: readonly Variation[] = [
  {
    name: "endings/expired-job-is-timed-out",
    describe: "A job whose ttl ran out stays as TIMED_OUT, and retry takes it.",
    shows: { "POLI-14": "200 with TIMED_OUT" },
    change: (behaviour) => leading(behaviour, "ttl-ran-out", "TIMED_OUT"),
  },
  {
    name: "endings/expired-job-is-failed",
    describe: "A job whose ttl ran out stays as FAILED, and retry takes it.",
    shows: { "POLI-14": "200 with FAILED" },
    change: (behaviour) => leading(behaviour, "ttl-ran-out", "FAILED"),
  },
  {
    name: "endings/expired-job-is-failed-and-not-counted",
    describe: "A job whose ttl ran out stays as FAILED, is not counted, and cannot be retried.",
    shows: { "POLI-14": "200 with FAILED" },
    change: (behaviour) => failedForGood(behaviour, "ttl-ran-out"),
  },
  {
    name: "endings/expired-job-is-cancelled",
    describe: "A job whose ttl ran out stays as CANCELLED.",
    shows: { "POLI-14": "200 with CANCELLED" },
    change: (behaviour) => leading(behaviour, "ttl-ran-out", "CANCELLED"),
  },
  {
    name: "endings/purged-job-is-cancelled",
    describe: "A purged job stays as CANCELLED.",
    shows: { "PURG-06": "200 with CANCELLED" },
    change: (behaviour) => leading(behaviour, "purge", "CANCELLED"),
  },
  {
    name: "endings/purged-job-is-failed",
    describe: "A purged job stays as FAILED, and retry takes it.",
    shows: { "PURG-06": "200 with FAILED" },
    change: (behaviour) => leading(behaviour, "purge", "FAILED"),
  },
  {
    name: "endings/purged-job-is-failed-and-not-counted",
    describe: "A purged job stays as FAILED, is not counted, and cannot be retried.",
    shows: { "PURG-06": "200 with FAILED" },
    change: (behaviour) => failedForGood(behaviour, "purge"),
  },
  {
    name: "endings/timed-out-jobs-count-as-failed",
    describe: "health counts a TIMED_OUT job as failed.",
    change: ({ operations }) => ({
      operations: {
        countedAs: (job) => (job.status === "TIMED_OUT" ? "failed" : operations.countedAs(job)),
      },
    }),
  },
  {
    name: "endings/crashed-job-fails-at-once",
    describe: "A job whose worker dies is FAILED without another try.",
    shows: { "LIFE-05": "the job ends FAILED" },
    change: () => ({ lifecycle: { dispatchesMax: 1 } }),
  },
  {
    name: "endings/crashed-job-has-three-tries",
    describe: "A job whose worker dies is handed to two more workers before it is FAILED.",
    change: () => ({ lifecycle: { dispatchesMax: 3 } }),
  },
  {
    name: "endings/crash-is-a-server-error-of-runsync",
    describe: "runsync answers 500 where the worker died, and 200 where the handler failed.",
    change: () => ({
      lifecycle: { dispatchesMax: 1 },
      operations: {
        failedRunsyncStatus: (job) => (job.error?.includes("died") === true ? 500 : 200),
      },
    }),
  },
  {
    name: "endings/failed-runsync-is-a-server-error",
    describe: "runsync answers 500 with the record where the job failed.",
    shows: { "SYNC-10": "500" },
    change: () => ({ operations: { failedRunsyncStatus: () => 500 } }),
  },
  {
    name: "endings/failed-runsync-is-a-bare-server-error",
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
  },
  {
    name: "endings/late-cancel-is-not-found",
    describe: "Cancelling a finished job answers 404.",
    shows: { "CANC-06": "404" },
    change: () => ({ operations: { finishedCancelStatus: 404 } }),
  },
  {
    name: "endings/late-cancel-is-a-conflict",
    describe: "Cancelling a finished job answers 409.",
    shows: { "CANC-06": "409" },
    change: () => ({ operations: { finishedCancelStatus: 409 } }),
  },
  {
    name: "endings/late-cancel-tells-the-state",
    describe: "Cancelling a finished job answers 200 with the state it has.",
    shows: { "CANC-06": "200 with the unchanged status" },
    change: () => ({ operations: { finishedCancelStatus: 200 } }),
  },
  {
    name: "endings/late-cancel-says-cancelled",
    describe: "Cancelling a finished job answers 200 with CANCELLED and leaves the job as it is.",
    shows: { "CANC-06": "200 with CANCELLED in the answer alone" },
    change: () => ({
      operations: { finishedCancelStatus: 200, finishedCancelShows: () => "CANCELLED" },
    }),
  },
  {
    name: "endings/failures-have-no-message",
    describe: "The record of a failed job has no member but those the specification names.",
    change: () => ({ lifecycle: { keptError: () => undefined } }),
  },
];

function leading({ lifecycle }: Behaviour, event: TransitionEvent, to: JobStatus): BehaviourChange {
  return {
    lifecycle: {
      next: (job, happened) =>
        happened === event && lifecycle.next(job, happened) === "DELETED"
          ? to
          : lifecycle.next(job, happened),
    },
  };
}

/** Lets the event end jobs as FAILED where it would delete them; they are not counted, and retry refuses them. */
function failedForGood(behaviour: Behaviour, event: TransitionEvent): BehaviourChange {
  const { lifecycle, operations } = behaviour;
  const ended = new Set<string>();
  return {
    lifecycle: {
      next: (job, happened) => {
        if (happened === "retry" && ended.has(job.id)) return undefined;
        if (happened !== event || lifecycle.next(job, happened) !== "DELETED") {
          return lifecycle.next(job, happened);
        }
        ended.add(job.id);
        return "FAILED";
      },
    },
    operations: {
      countedAs: (job) => (ended.has(job.id) ? undefined : operations.countedAs(job)),
    },
  };
}

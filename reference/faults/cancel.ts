import type { Fault } from "../fault.ts";

export const cancelFaults: readonly Fault[] = [
  {
    name: "cancel/queued-job-stays-in-the-queue",
    breaks: ["CANC-01"],
    describe: "A job cancelled in the queue is processed when a worker is free.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        leavesQueue: (_job, event) => event !== "cancel",
        next: (job, event) =>
          event === "worker-took" && job.status === "CANCELLED"
            ? "IN_PROGRESS"
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "cancel/queued-job-cannot-be-cancelled",
    breaks: ["CANC-01"],
    describe: "cancel refuses a job that waits in the queue.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "cancel" && job.status === "IN_QUEUE" ? undefined : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "cancel/answer-tells-the-old-state",
    breaks: ["CANC-01", "CANC-02"],
    describe: "The answer of cancel says IN_QUEUE.",
    change: () => ({ operations: { cancelStatus: () => "IN_QUEUE" } }),
  },
  {
    name: "cancel/handler-runs-on",
    breaks: ["CANC-02"],
    describe: "A job cancelled in progress runs on and completes.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        stopsHandler: (_job, event) => event !== "cancel",
        next: (job, event) =>
          event === "handler-returned" && job.status === "CANCELLED"
            ? "COMPLETED"
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "cancel/worker-stays-busy",
    breaks: ["CANC-02"],
    describe: "The worker of a cancelled job is never free again.",
    change: () => ({ lifecycle: { freesWorker: (_job, event) => event !== "cancel" } }),
  },
  {
    name: "cancel/worker-works-to-the-end",
    breaks: ["CANC-02"],
    describe: "The worker of a cancelled job is free only when the job would have ended.",
    change: () => ({
      lifecycle: {
        freesWorker: (_job, event) => event !== "cancel",
        stopsHandler: (_job, event) => event !== "cancel",
      },
    }),
  },
  {
    name: "cancel/waits-for-the-handler",
    breaks: ["CANC-03"],
    describe: "Cancelling a job in progress is answered five seconds later.",
    change: () => ({
      operations: { cancelTakesMs: (job) => (job.startedAtMs === undefined ? 0 : 5_000) },
    }),
  },
  {
    name: "cancel/status-shows-failed",
    breaks: ["CANC-04"],
    describe: "A job cancelled in progress is shown as FAILED.",
    change: ({ operations }) => ({
      operations: {
        record: (job, context) =>
          job.status === "CANCELLED" && job.startedAtMs !== undefined
            ? { id: job.id, status: "FAILED" }
            : operations.record(job, context),
      },
    }),
  },
  {
    name: "cancel/leaves-partial-output",
    breaks: ["CANC-04"],
    describe: "A cancelled job shows what it had yielded as its output.",
    change: ({ operations }) => ({
      operations: {
        record: (job, context) =>
          job.status === "CANCELLED"
            ? { id: job.id, status: "CANCELLED", output: [...job.chunks] }
            : operations.record(job, context),
      },
    }),
  },
  {
    name: "cancel/completed-job-becomes-cancelled",
    breaks: ["CANC-05"],
    describe: "Cancelling a completed job makes it CANCELLED.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "cancel" && job.status === "COMPLETED"
            ? "CANCELLED"
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "cancel/failed-job-becomes-cancelled",
    breaks: ["CANC-05"],
    describe: "Cancelling a failed job makes it CANCELLED.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "cancel" && job.status === "FAILED" ? "CANCELLED" : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "cancel/completed-job-loses-its-output",
    breaks: ["CANC-05"],
    describe: "Cancelling a completed job is refused but empties its output.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) => {
          if (event === "cancel" && job.status === "COMPLETED") job.output = {};
          return lifecycle.next(job, event);
        },
      },
    }),
  },
  {
    name: "cancel/finished-job-is-a-server-error",
    breaks: ["CANC-06"],
    describe: "Cancelling a finished job answers 500.",
    change: () => ({ operations: { finishedCancelStatus: 500 } }),
  },
  {
    name: "cancel/queued-runsync-job-cannot-be-cancelled",
    breaks: ["CANC-01"],
    describe: "cancel refuses a job of runsync that waits in the queue.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "cancel" && job.status === "IN_QUEUE" && job.submittedBy === "runsync"
            ? undefined
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "cancel/second-attempt-cannot-be-cancelled",
    breaks: ["CANC-01"],
    describe: "cancel refuses a job that waits for another attempt.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "cancel" && job.status === "IN_QUEUE" && job.attempt > 1
            ? undefined
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "cancel/queue-is-swept-by-workers-only",
    breaks: ["CANC-01"],
    describe: "A cancelled job counts as waiting until a worker comes by.",
    change: () => ({ lifecycle: { leavesQueue: (_job, event) => event !== "cancel" } }),
  },
  {
    name: "cancel/stream-runs-on",
    breaks: ["CANC-02"],
    describe: "The handler of a cancelled job is not stopped and goes on to yield chunks.",
    change: () => ({ lifecycle: { stopsHandler: (_job, event) => event !== "cancel" } }),
  },
  {
    name: "cancel/queued-job-waits-for-a-worker",
    breaks: ["CANC-03"],
    describe: "Cancelling a queued job is answered a millisecond later.",
    change: () => ({
      operations: { cancelTakesMs: (job) => (job.startedAtMs === undefined ? 1 : 0) },
    }),
  },
  {
    name: "cancel/shows-null-output",
    breaks: ["CANC-04"],
    describe: "The record of a cancelled runsync job has an output of null.",
    change: ({ operations }) => ({
      operations: {
        record: (job, context) =>
          job.status === "CANCELLED" && job.submittedBy === "runsync"
            ? { id: job.id, status: "CANCELLED", output: null }
            : operations.record(job, context),
      },
    }),
  },
  {
    name: "cancel/job-is-gone-after-half-a-minute",
    breaks: ["CANC-04"],
    describe: "A cancelled job is kept for 30 seconds only.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) => (job.status === "CANCELLED" ? 30_000 : retention.keptMs(job)),
      },
    }),
  },
  {
    name: "cancel/job-cancelled-in-the-queue-is-gone",
    breaks: ["CANC-04"],
    describe: "A job cancelled in the queue is deleted instead of shown as CANCELLED.",
    change: ({ retention }) => ({
      retention: {
        shows: (job, operation, nowMs) =>
          (job.status !== "CANCELLED" || job.startedAtMs !== undefined) &&
          retention.shows(job, operation, nowMs),
      },
    }),
  },
  {
    name: "cancel/timed-out-job-becomes-cancelled",
    breaks: ["CANC-05"],
    describe: "Cancelling a job that has timed out makes it CANCELLED.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "cancel" && job.status === "TIMED_OUT"
            ? "CANCELLED"
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "cancel/second-cancel-of-a-completed-job-succeeds",
    breaks: ["CANC-05"],
    describe: "The second cancel of a completed job makes it CANCELLED.",
    change: ({ lifecycle }) => {
      const asked = new Set<string>();
      return {
        lifecycle: {
          next: (job, event) => {
            if (event !== "cancel" || job.status !== "COMPLETED") return lifecycle.next(job, event);
            if (asked.has(job.id)) return "CANCELLED";
            asked.add(job.id);
            return undefined;
          },
        },
      };
    },
  },
  {
    name: "cancel/completed-retry-becomes-cancelled",
    breaks: ["CANC-05"],
    describe: "Cancelling a job that completed on a later attempt makes it CANCELLED.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "cancel" && job.status === "COMPLETED" && job.attempt > 1
            ? "CANCELLED"
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "cancel/finished-runsync-result-goes-sooner",
    breaks: ["CANC-05"],
    describe: "Cancelling a completed runsync job hides its result some time later.",
    change: ({ lifecycle, retention }) => {
      const cancelledIds = new Set<string>();
      return {
        lifecycle: {
          next: (job, event) => {
            if (event === "cancel" && job.submittedBy === "runsync") cancelledIds.add(job.id);
            return lifecycle.next(job, event);
          },
        },
        retention: {
          shows: (job, operation, nowMs) =>
            (job.status !== "COMPLETED" ||
              !cancelledIds.has(job.id) ||
              nowMs - (job.finishedAtMs ?? nowMs) < 30_000) &&
            retention.shows(job, operation, nowMs),
        },
      };
    },
  },
  {
    name: "cancel/finished-job-is-forbidden",
    breaks: ["CANC-06"],
    describe: "Cancelling a finished job answers 403.",
    change: () => ({ operations: { finishedCancelStatus: 403 } }),
  },
];

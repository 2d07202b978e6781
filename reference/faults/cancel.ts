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
];

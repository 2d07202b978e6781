import type { Fault } from "../fault.ts";

/** Wrong only after several steps that are right each by itself. */
export const stateSequenceFaults: readonly Fault[] = [
  {
    name: "states/purge-spares-retried-jobs",
    breaks: ["LIFE-06"],
    describe: "A purge leaves jobs in the queue that were retried.",
    change: ({ operations }) => ({
      operations: { purges: (job) => job.attempt === 1 && operations.purges(job) },
    }),
  },
  {
    name: "states/cancelled-retry-still-waits",
    breaks: ["LIFE-06"],
    describe: "health counts a job among the waiting ones that was retried and then cancelled.",
    change: () => ({
      lifecycle: { leavesQueue: (job, event) => event !== "cancel" || job.attempt === 1 },
    }),
  },
  {
    name: "states/cancelled-work-counts-as-failed",
    breaks: ["LIFE-06"],
    describe: "health counts a job as failed that was cancelled in progress.",
    change: ({ operations }) => ({
      operations: {
        countedAs: (job) =>
          job.status === "CANCELLED" && job.startedAtMs !== undefined
            ? "failed"
            : operations.countedAs(job),
      },
    }),
  },
  {
    name: "states/timed-out-work-keeps-its-worker",
    breaks: ["LIFE-06"],
    describe: "A worker whose job timed out is busy until the job would have ended.",
    change: () => ({
      lifecycle: {
        freesWorker: (_job, event) => event !== "execution-timed-out",
        stopsHandler: (_job, event) => event !== "execution-timed-out",
      },
    }),
  },
];

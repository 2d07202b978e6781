import type { Counts } from "../behaviour/operations.ts";
import type { Fault } from "../fault.ts";

export const healthFaults: readonly Fault[] = [
  {
    name: "health/lacks-retried",
    breaks: ["HLTH-01"],
    describe: "health has no count of retried jobs.",
    change: () => ({
      operations: {
        healthAnswer: (counts) => ({
          jobs: {
            completed: counts.completed,
            failed: counts.failed,
            inProgress: counts.inProgress,
            inQueue: counts.inQueue,
          },
          workers: { idle: counts.workersTotal - counts.workersBusy, running: counts.workersBusy },
        }),
      },
    }),
  },
  {
    name: "health/idle-is-negative",
    breaks: ["HLTH-01"],
    describe: "With no worker at all idle is -1.",
    change: counting((counts) => ({
      workersTotal: counts.workersTotal === 0 ? -1 : counts.workersTotal,
    })),
  },
  {
    name: "health/queue-includes-progress",
    breaks: ["HLTH-02"],
    describe: "inQueue counts the jobs in progress too.",
    change: counting(({ inQueue, inProgress }) => ({ inQueue: inQueue + inProgress })),
  },
  {
    name: "health/progress-is-one-at-most",
    breaks: ["HLTH-02"],
    describe: "inProgress tells only whether a job is being processed.",
    change: counting(({ inProgress }) => ({ inProgress: Math.min(inProgress, 1) })),
  },
  {
    name: "health/cancelled-jobs-stay-in-the-queue",
    breaks: ["HLTH-02"],
    describe: "inQueue still counts jobs that were cancelled in the queue.",
    change: () => ({ lifecycle: { leavesQueue: (_job, event) => event !== "cancel" } }),
  },
  {
    name: "health/runsync-jobs-are-not-counted",
    breaks: ["HLTH-03"],
    describe: "completed does not grow with runsync jobs.",
    change: ({ operations }) => ({
      operations: {
        countedAs: (job) =>
          job.submittedBy === "runsync" && job.status === "COMPLETED"
            ? undefined
            : operations.countedAs(job),
      },
    }),
  },
  {
    name: "health/failed-jobs-count-as-completed",
    breaks: ["HLTH-03"],
    describe: "A failed job adds to completed.",
    change: ({ operations }) => ({
      operations: {
        countedAs: (job) => (job.status === "FAILED" ? "completed" : operations.countedAs(job)),
      },
    }),
  },
  {
    name: "health/second-failure-is-not-counted",
    breaks: ["HLTH-03"],
    describe: "A job that fails again after a retry does not add to failed.",
    change: ({ operations }) => ({
      operations: {
        countedAs: (job) =>
          job.status === "FAILED" && job.attempt > 1 ? undefined : operations.countedAs(job),
      },
    }),
  },
  {
    name: "health/retries-are-not-counted",
    breaks: ["HLTH-04"],
    describe: "retried never grows.",
    change: () => ({ operations: { countsRetry: () => false } }),
  },
  {
    name: "health/second-retry-is-not-counted",
    breaks: ["HLTH-04"],
    describe: "Only the first retry of a job adds to retried.",
    change: () => ({ operations: { countsRetry: (job) => job.attempt === 2 } }),
  },
  {
    name: "health/idle-counts-every-worker",
    breaks: ["HLTH-05"],
    describe: "idle counts the workers that process a job too.",
    change: ({ operations }) => ({
      operations: {
        healthAnswer: (counts) => ({
          ...operations.healthAnswer(counts),
          workers: { idle: counts.workersTotal, running: counts.workersBusy },
        }),
      },
    }),
  },
  {
    name: "health/running-counts-every-worker",
    breaks: ["HLTH-05"],
    describe: "running counts the idle workers too.",
    change: ({ operations }) => ({
      operations: {
        healthAnswer: (counts) => ({
          ...operations.healthAnswer(counts),
          workers: {
            idle: counts.workersTotal - counts.workersBusy,
            running: counts.workersTotal,
          },
        }),
      },
    }),
  },
];

/** A change of some of the counts that health answers. */
function counting(change: (counts: Counts) => Partial<Counts>): Fault["change"] {
  return ({ operations }) => ({
    operations: {
      healthAnswer: (counts) => operations.healthAnswer({ ...counts, ...change(counts) }),
    },
  });
}

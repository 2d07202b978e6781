import type { Fault } from "../fault.ts";
import type { Counts } from "../behaviour/operations.ts";

export const healthCountFaults: readonly Fault[] = [
  {
    name: "health/empty-queue-is-null",
    breaks: ["HLTH-01"],
    describe: "inQueue is null where no job waits.",
    change: shaping(({ inQueue }) => ({ inQueue: inQueue === 0 ? null : inQueue })),
  },
  {
    name: "health/retried-is-text",
    breaks: ["HLTH-01"],
    describe: "retried is a string once a job was retried.",
    change: shaping(({ retried }) => ({ retried: retried === 0 ? 0 : String(retried) })),
  },
  {
    name: "health/queue-has-four-places",
    breaks: ["HLTH-02"],
    describe: "inQueue grows no further than 4.",
    change: shaping(({ inQueue }) => ({ inQueue: Math.min(inQueue, 4) })),
  },
  {
    name: "health/progress-is-what-workers-could-do",
    breaks: ["HLTH-02"],
    describe: "inProgress is the number of workers.",
    change: shaping(({ workersTotal }) => ({ inProgress: workersTotal })),
  },
  {
    name: "health/stopped-jobs-stay-in-progress",
    breaks: ["HLTH-02", "HLTH-05"],
    describe: "A job that was cancelled in progress still counts, and so does its worker.",
    change: ({ operations, lifecycle }) => {
      let stopped = 0;
      return {
        lifecycle: {
          freesWorker: (job, event) => {
            if (event === "cancel") stopped += 1;
            return lifecycle.freesWorker(job, event);
          },
        },
        operations: {
          healthAnswer: (counts) =>
            operations.healthAnswer({
              ...counts,
              inProgress: counts.inProgress + stopped,
              workersBusy: Math.min(counts.workersBusy + stopped, counts.workersTotal),
            }),
        },
      };
    },
  },
  {
    name: "health/cancelled-jobs-count-as-failed",
    breaks: ["HLTH-03"],
    describe: "A cancelled job adds to failed.",
    change: countingCancelledAs("failed"),
  },
  {
    name: "health/cancelled-jobs-count-as-completed",
    breaks: ["HLTH-03"],
    describe: "A cancelled job adds to completed.",
    change: countingCancelledAs("completed"),
  },
  {
    name: "health/retried-jobs-do-not-complete",
    breaks: ["HLTH-03"],
    describe: "A job that completes after a retry does not add to completed.",
    change: ({ operations }) => ({
      operations: {
        countedAs: (job) =>
          job.status === "COMPLETED" && job.attempt > 1 ? undefined : operations.countedAs(job),
      },
    }),
  },
  {
    name: "health/failures-count-as-retries",
    breaks: ["HLTH-04"],
    describe: "A job that fails adds to retried too.",
    change: shaping(({ retried, failed }) => ({ retried: retried + failed })),
  },
  {
    name: "health/retried-is-one-at-most",
    breaks: ["HLTH-04"],
    describe: "retried tells only whether any job was retried.",
    change: shaping(({ retried }) => ({ retried: Math.min(retried, 1) })),
  },
  {
    name: "health/idle-stays-as-it-was-made",
    breaks: ["HLTH-05"],
    describe: "idle takes no notice of workers added later.",
    change: ({ operations }) => {
      let firstTotal: number | undefined;
      return {
        operations: {
          healthAnswer: (counts) => {
            firstTotal ??= counts.workersTotal;
            const workersTotal = Math.min(
              counts.workersTotal,
              Math.max(firstTotal, counts.workersBusy),
            );
            return operations.healthAnswer({ ...counts, workersTotal });
          },
        },
      };
    },
  },
  {
    name: "health/timed-out-job-keeps-its-worker",
    breaks: ["HLTH-05"],
    describe: "A worker stays busy after its job has timed out.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        freesWorker: (job, event) =>
          event !== "execution-timed-out" && lifecycle.freesWorker(job, event),
      },
    }),
  },
];

/** A change of some of the job counts, as the answer shows them. */
function shaping(change: (counts: Counts) => Readonly<Record<string, unknown>>): Fault["change"] {
  return ({ operations }) => ({
    operations: {
      healthAnswer: (counts) => {
        const { jobs, ...rest } = operations.healthAnswer(counts);
        return { ...rest, jobs: { ...Object(jobs), ...change(counts) } };
      },
    },
  });
}

function countingCancelledAs(counter: "completed" | "failed"): Fault["change"] {
  return ({ operations }) => ({
    operations: {
      countedAs: (job) => (job.status === "CANCELLED" ? counter : operations.countedAs(job)),
    },
  });
}

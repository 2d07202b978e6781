import type { Counts as HealthCounts } from "../behaviour/operations.ts";
import type { Fault } from "../fault.ts";
import type { JsonObject } from "../job.ts";
import { counting } from "./builders/answers.ts";
import { at, both, is, isLowPriority, isRetried, isRunsync } from "./builders/conditions.ts";
import { faultsOf } from "./builders/faults-of.ts";
import {
  all,
  except,
  remembering,
  result,
  type Change,
  whenever,
  where,
} from "./builders/member.ts";

/** Bugs in what health counts. */
export const healthFaults: readonly Fault[] = faultsOf({
  "health/lacks-retried": {
    breaks: ["HLTH-01"],
    describe: "health has no count of retried jobs.",
    change: inAnswerOf("jobs", () => ({ retried: undefined })),
  },
  "health/idle-is-negative": {
    breaks: ["HLTH-01"],
    describe: "With no worker at all idle is -1.",
    change: counting(({ workersTotal }) => ({
      workersTotal: workersTotal === 0 ? -1 : workersTotal,
    })),
  },
  "health/queue-includes-progress": {
    breaks: ["HLTH-02"],
    describe: "inQueue counts the jobs in progress too.",
    change: counting(({ inQueue, inProgress }) => ({ inQueue: inQueue + inProgress })),
  },
  "health/progress-is-one-at-most": {
    breaks: ["HLTH-02"],
    describe: "inProgress tells only whether a job is being processed.",
    change: counting(({ inProgress }) => ({ inProgress: Math.min(inProgress, 1) })),
  },
  "health/cancelled-jobs-stay-in-the-queue": {
    breaks: ["HLTH-02"],
    describe: "inQueue still counts jobs that were cancelled in the queue.",
    change: except("lifecycle.leavesQueue", at("cancel")),
  },
  "health/runsync-jobs-are-not-counted": {
    breaks: ["HLTH-03"],
    describe: "completed does not grow with runsync jobs.",
    change: where("operations.countedAs", both(is("COMPLETED"), isRunsync), undefined),
  },
  "health/failed-jobs-count-as-completed": {
    breaks: ["HLTH-03"],
    describe: "A failed job adds to completed.",
    change: where("operations.countedAs", is("FAILED"), "completed"),
  },
  "health/second-failure-is-not-counted": {
    breaks: ["HLTH-03"],
    describe: "A job that fails again after a retry does not add to failed.",
    change: where("operations.countedAs", both(is("FAILED"), isRetried), undefined),
  },
  "health/retries-are-not-counted": {
    breaks: ["HLTH-04"],
    describe: "retried never grows.",
    change: () => ({ operations: { countsRetry: () => false } }),
  },
  "health/second-retry-is-not-counted": {
    breaks: ["HLTH-04"],
    describe: "Only the first retry of a job adds to retried.",
    change: () => ({ operations: { countsRetry: (job) => job.attempt === 2 } }),
  },
  "health/idle-counts-every-worker": {
    breaks: ["HLTH-05"],
    describe: "idle counts the workers that process a job too.",
    change: inAnswerOf("workers", ({ workersTotal }) => ({ idle: workersTotal })),
  },
  "health/running-counts-every-worker": {
    breaks: ["HLTH-05"],
    describe: "running counts the idle workers too.",
    change: inAnswerOf("workers", ({ workersTotal }) => ({ running: workersTotal })),
  },
  "health/empty-queue-is-null": {
    breaks: ["HLTH-01"],
    describe: "inQueue is null where no job waits.",
    change: inAnswerOf("jobs", ({ inQueue }) => ({ inQueue: inQueue === 0 ? null : inQueue })),
  },
  "health/retried-is-text": {
    breaks: ["HLTH-01"],
    describe: "retried is a string once a job was retried.",
    change: inAnswerOf("jobs", ({ retried }) => ({ retried: retried === 0 ? 0 : String(retried) })),
  },
  "health/queue-has-four-places": {
    breaks: ["HLTH-02"],
    describe: "inQueue grows no further than 4.",
    change: counting(({ inQueue }) => ({ inQueue: Math.min(inQueue, 4) })),
  },
  "health/progress-is-what-workers-could-do": {
    breaks: ["HLTH-02"],
    describe: "inProgress is the number of workers.",
    change: counting(({ workersTotal }) => ({ inProgress: workersTotal })),
  },
  "health/stopped-jobs-stay-in-progress": {
    breaks: ["HLTH-02", "HLTH-05"],
    describe: "A job that was cancelled in progress still counts, and so does its worker.",
    change: remembering(
      () => ({ stopped: 0 }),
      (memory) =>
        all(
          whenever("lifecycle.freesWorker", (_job, event) => {
            if (event === "cancel") memory.stopped += 1;
          }),
          counting(({ inProgress, workersBusy, workersTotal }) => ({
            inProgress: inProgress + memory.stopped,
            workersBusy: Math.min(workersBusy + memory.stopped, workersTotal),
          })),
        ),
    ),
  },
  "health/cancelled-jobs-count-as-failed": {
    breaks: ["HLTH-03"],
    describe: "A cancelled job adds to failed.",
    change: where("operations.countedAs", is("CANCELLED"), "failed"),
  },
  "health/cancelled-jobs-count-as-completed": {
    breaks: ["HLTH-03"],
    describe: "A cancelled job adds to completed.",
    change: where("operations.countedAs", is("CANCELLED"), "completed"),
  },
  "health/retried-jobs-do-not-complete": {
    breaks: ["HLTH-03"],
    describe: "A job that completes after a retry does not add to completed.",
    change: where("operations.countedAs", both(is("COMPLETED"), isRetried), undefined),
  },
  "health/failures-count-as-retries": {
    breaks: ["HLTH-04"],
    describe: "A job that fails adds to retried too.",
    change: counting(({ retried, failed }) => ({ retried: retried + failed })),
  },
  "health/retried-is-one-at-most": {
    breaks: ["HLTH-04"],
    describe: "retried tells only whether any job was retried.",
    change: counting(({ retried }) => ({ retried: Math.min(retried, 1) })),
  },
  "health/idle-stays-as-it-was-made": {
    breaks: ["HLTH-05"],
    describe: "idle takes no notice of workers added later.",
    change: remembering(
      (): { firstTotal?: number } => ({}),
      (memory) =>
        counting(({ workersTotal, workersBusy }) => {
          memory.firstTotal ??= workersTotal;
          return { workersTotal: Math.min(workersTotal, Math.max(memory.firstTotal, workersBusy)) };
        }),
    ),
  },
  "health/timed-out-job-keeps-its-worker": {
    breaks: ["HLTH-05"],
    describe: "A worker stays busy after its job has timed out.",
    change: except("lifecycle.freesWorker", at("execution-timed-out")),
  },
  "health/low-priority-does-not-wait": {
    breaks: ["HLTH-02"],
    describe: "inQueue leaves lowPriority jobs out.",
    change: except("operations.countsAsWaiting", isLowPriority),
  },
});

/** Changes some fields of the jobs or the workers that health answers. */
function inAnswerOf(
  part: "jobs" | "workers",
  change: (counts: HealthCounts) => JsonObject,
): Change {
  return result("operations.healthAnswer", (answer, counts) => ({
    ...answer,
    [part]: { ...Object(answer[part]), ...change(counts) },
  }));
}

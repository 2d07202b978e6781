import type { JobCounts } from "../../reference/behaviour/operations.ts";
import type { Fault } from "../../reference/faults.ts";
import type { JsonObject } from "../../reference/job.ts";
import { counting, miscounting } from "./builders/answers.ts";
import { fault, remembering } from "./builders/compose.ts";
import { at, both, is } from "./builders/conditions.ts";
import { atEvent } from "./builders/events.ts";
import { isRetried, isRunsync, hasEmptyList, hasOutlastedItsWait } from "./builders/jobs.ts";
import { type Change, except, instead, result, whenever } from "./builders/member.ts";

/** Bugs in what health counts. */
export const healthFaults: readonly Fault[] = [
  fault("health/lacks-retried", ["HLTH-01"], {
    describe: "health has no count of retried jobs.",
    change: inAnswerOf("jobs", () => ({ retried: undefined })),
  }),
  fault("health/idle-is-negative", ["HLTH-01"], {
    describe: "With no worker at all idle is -1.",
    change: counting(({ workersTotal }) => ({
      workersTotal: workersTotal === 0 ? -1 : workersTotal,
    })),
  }),
  fault("health/queue-includes-progress", ["HLTH-02"], {
    describe: "inQueue counts the jobs in progress too.",
    change: counting(({ inQueue, inProgress }) => ({ inQueue: inQueue + inProgress })),
  }),
  fault("health/cancelled-jobs-stay-in-the-queue", ["HLTH-02"], {
    describe: "inQueue still counts jobs that were cancelled in the queue.",
    change: except("lifecycle.leavesQueue", at("cancel")),
  }),
  fault("health/runsync-jobs-are-not-counted", ["HLTH-03"], {
    describe: "completed does not grow with runsync jobs.",
    change: instead("operations.countedAs", undefined, both(is("COMPLETED"), isRunsync)),
  }),
  fault("health/failed-jobs-count-as-completed", ["HLTH-03"], {
    describe: "A failed job adds to completed.",
    change: instead("operations.countedAs", "completed", is("FAILED")),
  }),
  fault("health/second-retry-is-not-counted", ["HLTH-04"], {
    describe: "Only the first retry of a job adds to retried.",
    change: () => ({ operations: { countsRetry: (job) => job.attempt === 2 } }),
  }),
  fault("health/idle-counts-every-worker", ["HLTH-05"], {
    describe: "idle counts the workers that process a job too.",
    change: inAnswerOf("workers", ({ workersTotal }) => ({ idle: workersTotal })),
  }),
  fault("health/running-counts-every-worker", ["HLTH-05"], {
    describe: "running counts the idle workers too.",
    change: inAnswerOf("workers", ({ workersTotal }) => ({ running: workersTotal })),
  }),
  fault("health/empty-queue-is-null", ["HLTH-01"], {
    describe: "inQueue is null where no job waits.",
    change: inAnswerOf("jobs", ({ inQueue }) => ({ inQueue: inQueue === 0 ? null : inQueue })),
  }),
  fault("health/retried-is-text", ["HLTH-01"], {
    describe: "retried is a string once a job was retried.",
    change: inAnswerOf("jobs", ({ retried }) => ({ retried: retried === 0 ? 0 : String(retried) })),
  }),
  fault("health/progress-is-what-workers-could-do", ["HLTH-02"], {
    describe: "inProgress is the number of workers.",
    change: counting(({ workersTotal }) => ({ inProgress: workersTotal })),
  }),
  fault("health/stopped-jobs-stay-in-progress", ["HLTH-02", "HLTH-05"], {
    describe: "A job that was cancelled in progress still counts, and so does its worker.",
    change: remembering({ stopped: 0 }, (memory) => [
      whenever("lifecycle.freesWorker", (_job, event) => {
        if (event === "cancel") memory.stopped += 1;
      }),
      counting(({ inProgress, workersBusy, workersTotal }) => ({
        inProgress: inProgress + memory.stopped,
        workersBusy: Math.min(workersBusy + memory.stopped, workersTotal),
      })),
    ]),
  }),
  fault("health/cancelled-jobs-count-as-failed", ["HLTH-03"], {
    describe: "A cancelled job adds to failed.",
    change: instead("operations.countedAs", "failed", is("CANCELLED")),
  }),
  fault("health/retried-jobs-do-not-complete", ["HLTH-03"], {
    describe: "A job that completes after a retry does not add to completed.",
    change: instead("operations.countedAs", undefined, both(is("COMPLETED"), isRetried)),
  }),
  fault("health/failures-count-as-retries", ["HLTH-04"], {
    describe: "A job that fails adds to retried too.",
    change: counting(({ retried, failed }) => ({ retried: retried + failed })),
  }),
  fault("health/idle-stays-as-it-was-made", ["HLTH-05"], {
    describe: "idle takes no notice of workers added later.",
    change: remembering<{ firstTotal?: number }>({}, (memory) =>
      counting(({ workersTotal, workersBusy }) => {
        memory.firstTotal ??= workersTotal;
        return { workersTotal: Math.min(workersTotal, Math.max(memory.firstTotal, workersBusy)) };
      }),
    ),
  }),
  fault("health/empty-outputs-do-not-complete", ["HLTH-03"], {
    describe: "A job whose output is an empty array does not add to completed.",
    change: instead("operations.countedAs", undefined, hasEmptyList),
  }),
  fault("health/failures-after-the-wait-are-not-counted", ["HLTH-03"], {
    describe: "A runsync job that fails after its wait is over does not add to failed.",
    change: instead("operations.countedAs", undefined, both(is("FAILED"), hasOutlastedItsWait)),
  }),
  fault("health/each-crash-counts-as-a-failure", ["HLTH-03"], {
    describe: "failed grows with each worker that crashes, and with the job that fails by it.",
    change: miscounting("failed", 1, (count) => atEvent("worker-died", count)),
  }),
];

/** Changes some fields of the jobs or the workers that health answers. */
function inAnswerOf(part: "jobs" | "workers", change: (counts: JobCounts) => JsonObject): Change {
  return result("operations.healthAnswer", (answer, counts) => ({
    ...answer,
    [part]: { ...Object(answer[part]), ...change(counts) },
  }));
}

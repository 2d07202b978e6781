import type { LimitScope } from "../../reference/behaviour/limits.ts";
import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import { counting, miscounting } from "./builders/answers.ts";
import { all, fault, remembering } from "./builders/compose.ts";
import { at, both, is, always } from "./builders/conditions.ts";
import { DelayedReleaseCount } from "./builders/delayed-release-count.ts";
import { onEvent, refuseEvent, atEvent } from "./builders/events.ts";
import {
  hasStarted,
  isUnfinished,
  isRetried,
  isRunsync,
  isCancelledInTheQueue,
} from "./builders/jobs.ts";
import { afterBreakingOff, afterTtlOfStatus, afterWait } from "./builders/marks.ts";
import { type Change, except, instead, override, whenever } from "./builders/member.ts";

/** Bugs that lose in-flight places, counts or workers, or free them too late, in paths that are seldom taken. */
export const leakFaults: readonly Fault[] = [
  fault("leak/bad-request-keeps-its-place", ["CONC-08"], {
    describe: "A submission that is answered 400 stays counted as in flight.",
    change: keepsPlace((operation, status) => operation === "run" && status === 400),
  }),
  fault("leak/too-large-payload-keeps-its-place", ["CONC-08"], {
    describe: "A runsync whose payload is too large is answered 413 and stays counted.",
    change: all(
      instead("submission.payloadRefusalStatus", 413, () => true),
      keepsPlace((_operation, status) => status === 413),
    ),
  }),
  fault("leak/unknown-job-keeps-its-place", ["CONC-08"], {
    describe: "A read of a job that is not there stays counted as in flight.",
    change: keepsPlace((_operation, status) => status === 404),
  }),
  fault("leak/wrong-ttl-keeps-its-place", ["CONC-08"], {
    describe: "A status whose ttl is refused stays counted as in flight.",
    change: keepsPlace((operation, status) => operation === "status" && status === 400),
  }),
  fault("leak/late-cancel-keeps-its-place", ["CONC-08"], {
    describe: "A cancel that comes after its job has ended stays counted as in flight.",
    change: keepsPlace((operation, status) => operation === "cancel" && status === 400),
  }),
  fault("leak/wrong-key-keeps-its-place", ["CONC-08"], {
    describe: "Places are taken before the key is looked at, and a 401 gives none back.",
    change: all(
      () => ({ limits: { comeBeforeTheKey: true } }),
      keepsPlace((_operation, status) => status === 401),
    ),
  }),
  fault("leak/refusal-for-the-cap-takes-a-place", ["CONC-08"], {
    describe: "A request is counted before the cap is looked at, and not taken back by its 429.",
    change: instead("limits.refusalCounts", 1, (_operation, why) => why === "cap"),
  }),
  fault("leak/refusal-for-the-window-takes-a-place", ["CONC-08"], {
    describe: "A request that is refused for its window keeps the place it took before.",
    change: instead("limits.refusalCounts", 1, (_operation, why) => why === "window"),
  }),
  fault("leak/refusal-gives-back-a-place-it-never-had", ["CONC-08"], {
    describe: "A request that is refused for its window frees a place that is not its own.",
    change: instead("limits.refusalCounts", -1, (_operation, why) => why === "window"),
  }),
  fault("leak/place-is-a-lease-of-ten-seconds", ["CONC-08"], {
    describe: "A place is free ten seconds after its request was answered.",
    change: () => ({ limits: { inFlightOf: (scope) => new DelayedReleaseCount(scope, 10_000) } }),
  }),
  fault("leak/abandoned-runsync-is-counted-to-its-wait", ["CONC-08"], {
    describe: "A runsync whose client is gone stays counted until its wait would be over.",
    change: () => ({
      limits: {
        freesPlace: (operation, how) => operation !== "runsync" || how !== "broken-off",
      },
    }),
  }),
  fault("leak/abandoned-runsync-keeps-its-worker", ["HLTH-05", "LIFE-03"], {
    describe: "A runsync whose client breaks off is cancelled, and its worker never free again.",
    change: afterBreakingOff((isAbandoned) => [
      instead("operations.brokenOffEvent", "cancel", isUnfinished),
      except("lifecycle.freesWorker", at("cancel", isAbandoned)),
    ]),
  }),
  fault("leak/abandoned-runsync-waits-for-ever", ["HLTH-02"], {
    describe:
      "A queued runsync whose client breaks off is forgotten, but not by the queue's count.",
    change: afterBreakingOff((isAbandoned) => [
      instead("operations.brokenOffEvent", "purge", is("IN_QUEUE")),
      except("lifecycle.leavesQueue", at("purge", isAbandoned)),
      refuseEvent("worker-took", ({ isDeleted }) => isDeleted),
      miscounting("inQueue", 1, (count) => atEvent("purge", count, isAbandoned)),
    ]),
  }),
  fault("leak/abandoned-work-counts-for-ever", ["HLTH-02"], {
    describe: "inProgress counts a runsync job whose client broke off after it has ended, too.",
    change: afterBreakingOff((isAbandoned) =>
      miscounting("inProgress", 1, (count) =>
        whenever("operations.countedAs", (job) => void (isAbandoned(job) && count())),
      ),
    ),
  }),
  fault("leak/refused-submission-waits", ["HLTH-02"], {
    describe: "inQueue counts submissions that were answered 400.",
    change: miscounting("inQueue", 1, (count) => whenever("submission.refusalStatus", count)),
  }),
  fault("leak/unknown-job-counts-as-failed", ["HLTH-03"], {
    describe: "failed counts requests that were answered 404.",
    change: miscounting("failed", 1, (count) => whenever("operations.unknownJobStatus", count)),
  }),
  fault("leak/refused-retry-waits", ["HLTH-02"], {
    describe: "inQueue counts a job in progress whose retry was refused.",
    change: remembering(new Set<Job>(), (waiting) => [
      atEvent("retry", (job) => void waiting.add(job), is("IN_PROGRESS")),
      counting(({ inQueue }) => ({ inQueue: inQueue + waiting.size })),
    ]),
  }),
  fault("leak/refused-cancel-ends-work", ["HLTH-02"], {
    describe: "A cancel of a job that timed out takes one from inProgress.",
    change: miscounting("inProgress", -1, (count) => atEvent("cancel", count, is("TIMED_OUT"))),
  }),
  fault("leak/refused-cancel-frees-a-worker", ["HLTH-05"], {
    describe: "A cancel of a job that timed out frees the worker that it had then.",
    change: override(
      "operations.workersFreedBesides",
      () => (job, wasAccepted) => !wasAccepted && job.status === "TIMED_OUT",
    ),
  }),
  fault("leak/wrong-key-frees-a-waiting-job", ["HLTH-02"], {
    describe: "inQueue is one lower after each cancel with a wrong key.",
    change: miscounting("inQueue", -1, (count) =>
      whenever("authentication.refusalStatus", ({ operation }) => {
        if (operation === "cancel") count();
      }),
    ),
  }),
  fault("leak/ttl-of-status-keeps-the-worker", ["HLTH-05", "STAT-06"], {
    describe: "A worker whose job was given a ttl by status is not free when that runs out.",
    change: afterTtlOfStatus(always, (wasGivenOne) =>
      except("lifecycle.freesWorker", at("ttl-ran-out", wasGivenOne)),
    ),
  }),
  fault("leak/crash-keeps-a-worker", ["LIFE-03", "HLTH-05"], {
    describe: "A worker that crashed is counted as busy for ever, and nobody takes its place.",
    change: except("lifecycle.freesWorker", at("worker-died-again")),
  }),
  fault("leak/purged-retry-keeps-its-old-worker", ["HLTH-05"], {
    describe: "A purge of a job that has worked before counts a worker as busy for it.",
    change: remembering({ lost: 0 }, (memory) => [
      onEvent("purge", "DELETED", both(is("IN_QUEUE"), isRetried)),
      atEvent("purge", (job) => void (memory.lost += hasStarted(job) ? 0 : 1), isRetried),
      counting(({ workersBusy, workersTotal }) => ({
        workersBusy: Math.min(workersTotal, workersBusy + memory.lost),
      })),
    ]),
  }),
  fault("leak/runsync-whose-wait-is-over-keeps-its-place", ["CONC-08"], {
    describe: "A runsync that is answered because its wait is over stays counted as in flight.",
    change: keepsPlaceAfter((mark) => whenever("operations.waitOverEvent", mark)),
  }),
  fault("leak/runsync-whose-job-timed-out-keeps-its-place", ["CONC-08"], {
    describe: "A runsync whose job times out while it waits stays counted as in flight.",
    change: keepsPlaceAfter((mark) => atEvent("execution-timed-out", mark, isRunsync)),
  }),
  fault("leak/runsync-whose-job-failed-keeps-its-place", ["CONC-08"], {
    describe: "A runsync whose job has failed stays counted as in flight.",
    change: keepsPlaceAfter((mark) => whenever("operations.failedRunsyncStatus", mark)),
  }),
  fault("leak/runsync-whose-job-is-gone-keeps-its-place", ["CONC-08"], {
    describe: "A runsync whose job is purged or expires while it waits stays counted.",
    change: keepsPlace((operation, status) => operation === "runsync" && status === 404),
  }),
  fault("leak/runsync-whose-wait-is-over-keeps-its-worker", ["HLTH-05", "LIFE-03"], {
    describe: "A job that outlasts the wait of its runsync completes and leaves its worker busy.",
    change: afterWait(always, (hasOutlastedIt) =>
      except("lifecycle.freesWorker", at("handler-returned", hasOutlastedIt)),
    ),
  }),
  fault("leak/late-retry-is-counted", ["HLTH-04"], {
    describe: "retried counts a retry of a job whose retention has ended.",
    change: remembering(new Set<string>(), (deleted) => [
      whenever("operations.takesBack", ({ id }) => void deleted.add(id)),
      miscounting("retried", 1, (count) =>
        whenever("operations.unknownJobStatus", (operation, id) => {
          if (operation === "retry" && deleted.has(id)) count();
        }),
      ),
    ]),
  }),
  fault("leak/deleted-cancel-leaves-the-queue-twice", ["HLTH-02"], {
    describe: "The end of the retention of a job cancelled in the queue takes one from inQueue.",
    change: miscounting("inQueue", -1, (count) =>
      whenever("operations.takesBack", (job) => {
        if (isCancelledInTheQueue(job)) count();
      }),
    ),
  }),
  fault("leak/ttl-of-status-leaves-it-in-the-queue", ["HLTH-02", "STAT-06"], {
    describe: "inQueue counts a waiting job to which status gave a ttl after that has run out.",
    change: afterTtlOfStatus(always, (wasGivenOne) =>
      miscounting("inQueue", 1, (count) =>
        whenever("lifecycle.leavesQueue", (job, event) => {
          if (event === "ttl-ran-out" && wasGivenOne(job)) count();
        }),
      ),
    ),
  }),
  fault("leak/repeated-call-counts-again", ["HLTH-03"], {
    describe: "completed grows with each repeated call of a webhook.",
    change: miscounting("completed", 1, (count) =>
      whenever("webhook.body", (_record, job, attempt) => {
        if (attempt > 1 && job.status === "COMPLETED") count();
      }),
    ),
  }),
  fault("leak/second-dispatch-works-for-ever", ["HLTH-02"], {
    describe: "inProgress counts the work of a crashed worker for ever.",
    change: miscounting("inProgress", 1, (count) => atEvent("worker-died", count)),
  }),
];

/** Lets requests stay counted as in flight after an answer for which `condition` holds. */
function keepsPlace(
  condition: (operation: LimitScope["operation"], status: number) => boolean,
): Change {
  return except(
    "limits.freesPlace",
    (operation, _how, status) => status !== undefined && condition(operation, status),
  );
}

/** Lets as many runsync requests stay counted as in flight as `mark` was called before their answers. */
function keepsPlaceAfter(marking: (mark: () => void) => Change): Change {
  return remembering({ count: 0 }, (marked) => [
    marking(() => void (marked.count += 1)),
    except("limits.freesPlace", (operation) => {
      if (operation !== "runsync" || marked.count === 0) return false;
      marked.count -= 1;
      return true;
    }),
  ]);
}

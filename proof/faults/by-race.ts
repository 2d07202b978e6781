import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import { counting, inRecord, inCall, miscounting } from "./builders/answers.ts";
import { all, fault, remembering, withCounts } from "./builders/compose.ts";
import { at, both, is, always } from "./builders/conditions.ts";
import { onEvent, refuseEvent, atEvent } from "./builders/events.ts";
import { hasEnded, isRetried, hasTtl } from "./builders/jobs.ts";
import { afterTtlOfStatus } from "./builders/marks.ts";
import { also, except, instead, result, whenever } from "./builders/member.ts";
import { hasAllButEnded, justAfter, MOMENT_MS } from "./builders/moments.ts";

/** Races whose effects show only in a later read, a webhook or a count. */
export const raceEffectFaults: readonly Fault[] = [
  fault("race/late-cancel-does-not-stop-the-webhook", ["HOOK-08"], {
    describe: "A job that is cancelled in the last moment of its work tells its webhook COMPLETED.",
    change: all(
      also("webhook.isCalledFor", both(is("CANCELLED"), hasAllButEnded)),
      inCall({ status: "COMPLETED", output: {} }, is("CANCELLED")),
    ),
  }),
  fault("race/late-cancel-counts-as-completed", ["HLTH-03"], {
    describe: "A job that is cancelled in the last moment of its work counts as completed.",
    change: instead("operations.countedAs", "completed", both(is("CANCELLED"), hasAllButEnded)),
  }),
  fault("race/late-cancel-keeps-the-worker", ["HLTH-05"], {
    describe: "A job that is cancelled in the last moment of its work leaves its worker busy.",
    change: remembering({ nowMs: 0 }, (clock) => [
      whenever("transport.refuses", (_operation, nowMs) => void (clock.nowMs = nowMs)),
      except(
        "lifecycle.freesWorker",
        at("cancel", (job) => hasAllButEnded({ ...job, finishedAtMs: clock.nowMs })),
      ),
    ]),
  }),
  fault("race/cancel-does-not-stop-the-ttl", ["LIFE-02", "LIFE-07"], {
    describe: "A job that is cancelled shortly before its ttl runs out becomes TIMED_OUT.",
    change: all(
      also("lifecycle.ttlCounts", is("CANCELLED")),
      onEvent("ttl-ran-out", "TIMED_OUT", is("CANCELLED")),
    ),
  }),
  fault("race/cancel-leaves-the-timed-job-in-the-queue", ["HLTH-02"], {
    describe: "A queued job with a ttl that is cancelled waits on in the count of the queue.",
    change: all(
      except("lifecycle.leavesQueue", at("cancel", hasTtl)),
      refuseEvent("worker-took", hasEnded),
    ),
  }),
  fault("race/retry-does-not-stop-the-retention", ["LIFE-07"], {
    describe: "A job that is retried shortly before its retention ends is deleted all the same.",
    change: remembering(new Map<Job, number>(), (ends) => [
      atEvent("retry", (job) => void ends.set(job, (job.finishedAtMs ?? 0) + 1_800_000)),
      instead(
        "retention.shows",
        false,
        (job, _operation, nowMs) =>
          nowMs >= (ends.get(job) ?? Infinity) && (ends.get(job) ?? 0) - job.queuedAtMs < 1000,
      ),
    ]),
  }),
  fault("race/two-purges-count-the-same-jobs", ["PURG-01"], {
    describe: "Of two purges at once each counts the jobs that the other one has removed.",
    change: remembering({ count: 0, atMs: -Infinity }, (last) =>
      result("operations.removedCount", (count) => {
        const isAtOnce = performance.now() - last.atMs < MOMENT_MS;
        const shown = isAtOnce ? count + last.count : count;
        Object.assign(last, { count, atMs: performance.now() });
        return shown;
      }),
    ),
  }),
  fault("race/purge-forgets-what-is-cancelled-beside-it", ["PURG-01"], {
    describe: "A second purge in the same moment answers that it removed one job.",
    change: remembering({ atMs: -Infinity }, (last) =>
      result("operations.removedCount", (count) => {
        const isAtOnce = performance.now() - last.atMs < MOMENT_MS;
        if (count > 0) last.atMs = performance.now();
        return count === 0 && isAtOnce ? 1 : count;
      }),
    ),
  }),
  fault("race/second-retry-is-counted", ["HLTH-04"], {
    describe: "retried counts a second retry of the same moment, which was refused.",
    change: justAfter("retry", (isRace) =>
      miscounting("retried", 1, (count) => atEvent("retry", count, both(is("IN_QUEUE"), isRace))),
    ),
  }),
  fault("race/second-cancel-frees-a-second-worker", ["HLTH-05", "LIFE-06"], {
    describe: "A second cancel of the same moment frees one more worker.",
    change: justAfter("cancel", (isRace) =>
      also("operations.workersFreedBesides", (job, wasAccepted) => !wasAccepted && isRace(job)),
    ),
  }),
  fault("race/second-cancel-takes-one-from-the-work", ["HLTH-02"], {
    describe: "A second cancel of the same moment takes one more from inProgress, for good.",
    change: justAfter("cancel", (isRace) =>
      miscounting("inProgress", -1, (count) =>
        atEvent("cancel", count, both(is("CANCELLED"), isRace)),
      ),
    ),
  }),
  fault("race/cancel-of-a-job-just-taken-keeps-the-worker", ["HLTH-05"], {
    describe: "A job that is cancelled in the moment a worker takes it leaves that worker busy.",
    change: justAfter("worker-took", (isRace) =>
      except("lifecycle.freesWorker", at("cancel", isRace)),
    ),
  }),
  fault("race/cancel-of-a-completed-job-takes-it-from-the-count", ["HLTH-03"], {
    describe: "A cancel in the moment of the completion takes the job from completed again.",
    change: remembering(new Set<Job>(), (taken) => [
      justAfter("handler-returned", (isRace) =>
        atEvent("cancel", (job) => void taken.add(job), both(is("COMPLETED"), isRace)),
      ),
      counting(({ completed }) => ({ completed: Math.max(0, completed - taken.size) })),
    ]),
  }),
  fault("race/ttl-of-status-outlives-the-completion", ["LIFE-02", "LIFE-07"], {
    describe: "A ttl that status gave just before the completion deletes the completed job.",
    change: afterTtlOfStatus(always, (wasGivenOne) => [
      also("lifecycle.ttlCounts", wasGivenOne),
      onEvent("ttl-ran-out", "DELETED", is("COMPLETED")),
    ]),
  }),
  fault("race/late-cancel-is-undone", ["LIFE-07", "CANC-04"], {
    describe: "A job that is cancelled in the last moment of its work is shown COMPLETED later.",
    change: withCounts((reads) =>
      inRecord({ status: "COMPLETED", output: {} }, (job, { operation }) => {
        if (operation !== "status" || job.status !== "CANCELLED") return false;
        return reads.add(job) > 1 && hasAllButEnded(job);
      }),
    ),
  }),
  fault("race/completion-does-not-stop-the-timeout", ["LIFE-02"], {
    describe: "A job that has completed becomes TIMED_OUT when its executionTimeout would be over.",
    change: inRecord({ status: "TIMED_OUT", output: undefined }, (job, { nowMs }) => {
      const { executionTimeout } = job.submission.policy;
      return (
        job.status === "COMPLETED" &&
        executionTimeout !== undefined &&
        nowMs > (job.startedAtMs ?? nowMs) + executionTimeout
      );
    }),
  }),
  fault("race/late-timeout-counts-as-completed", ["HLTH-03"], {
    describe: "A job that times out in the last moment of its work counts as completed.",
    change: instead("operations.countedAs", "completed", both(is("TIMED_OUT"), hasAllButEnded)),
  }),
  fault("race/late-timeout-tells-of-a-completion", ["HOOK-08", "HOOK-02"], {
    describe: "A job that times out in the last moment of its work tells its webhook COMPLETED.",
    change: inCall({ status: "COMPLETED", output: {} }, both(is("TIMED_OUT"), hasAllButEnded)),
  }),
  fault("race/purge-swallows-retries-beside-it", ["LIFE-08", "HLTH-02"], {
    describe: "A job that is retried in the moment of a purge is accepted, and in no queue.",
    change: remembering({ atMs: -Infinity }, (purge) => [
      whenever("operations.removedCount", (removed) => {
        if (removed.length > 0) purge.atMs = performance.now();
      }),
      except(
        "lifecycle.entersQueue",
        (job) => isRetried(job) && performance.now() - purge.atMs < MOMENT_MS,
      ),
    ]),
  }),
  fault("race/result-goes-with-a-wait-just-over", ["SYNC-04", "SYNC-07"], {
    describe: "The result of a runsync job that ends in the moment its wait is over is lost.",
    change: except("retention.shows", ({ submittedBy, waitMs, queuedAtMs, finishedAtMs }) => {
      if (submittedBy !== "runsync" || finishedAtMs === undefined) return false;
      return Math.abs(finishedAtMs - queuedAtMs - waitMs) <= 1;
    }),
  }),
  fault("race/timed-out-attempt-ends-the-next-one", ["RETR-03", "POLI-04"], {
    describe: "The handler of a job that timed out runs on, and its end is that of the retry.",
    change: except("lifecycle.stopsHandler", at("execution-timed-out")),
  }),
  fault("race/cancel-beside-a-retry-waits-on", ["HLTH-02"], {
    describe: "A job that is cancelled in the moment of its retry waits on in the count.",
    change: justAfter("retry", (isRace) =>
      miscounting("inQueue", 1, (count) =>
        whenever("lifecycle.leavesQueue", (job, event) => {
          if (event === "cancel" && isRace(job)) count();
        }),
      ),
    ),
  }),
];

import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import { inAnswerAbout, inRecord, inCall } from "./builders/answers.ts";
import { leakOf, withLeak } from "./builders/carried.ts";
import { all, fault, remembering } from "./builders/compose.ts";
import { at, both, is, on, always } from "./builders/conditions.ts";
import { onEvent, refuseEvent } from "./builders/events.ts";
import {
  hasEnded,
  hasExecutionTimeout,
  hasStarted,
  hasWaited,
  isLowPriority,
  isRetried,
  isRunsync,
  hasStorage,
  hasWebhook,
  hasOutlastedItsWait,
  hasTtl,
  isCancelledInTheQueue,
} from "./builders/jobs.ts";
import { afterEvent } from "./builders/marks.ts";
import { also, except, instead, result, whenever } from "./builders/member.ts";

/** Bugs that show only where two features that work by themselves come together. */
export const combinationFaults: readonly Fault[] = [
  fault("policy/retried-job-never-expires", ["POLI-08"], {
    describe: "The ttl of a job that was retried does not run out in the queue.",
    change: refuseEvent("ttl-ran-out", both(is("IN_QUEUE"), isRetried)),
  }),
  fault("policy/retried-work-never-expires", ["POLI-09"], {
    describe: "The ttl of a job that was retried does not end its work.",
    change: refuseEvent("ttl-ran-out", both(is("IN_PROGRESS"), isRetried)),
  }),
  fault("purge/counts-what-was-cancelled", ["PURG-01"], {
    describe: "removed counts jobs that were cancelled in the queue, too.",
    change: remembering(new Set<Job>(), (cancelled) => [
      whenever("lifecycle.leavesQueue", (job, event) => {
        if (event === "cancel" && !hasStarted(job)) cancelled.add(job);
      }),
      also("operations.purges", (job) => cancelled.has(job)),
      onEvent("purge", "CANCELLED", (job) => cancelled.delete(job)),
    ]),
  }),
  fault("health/expired-jobs-still-wait", ["HLTH-02"], {
    describe: "inQueue counts a job that has expired until the queue is looked at by a worker.",
    change: all(
      except("lifecycle.leavesQueue", at("ttl-ran-out")),
      refuseEvent("worker-took", ({ isDeleted }) => isDeleted),
    ),
  }),
  fault("health/purged-retries-still-wait", ["HLTH-02", "LIFE-06"], {
    describe:
      "inQueue counts a purged job that had been retried until a worker looks at the queue.",
    change: all(
      except("lifecycle.leavesQueue", at("purge", isRetried)),
      refuseEvent("worker-took", ({ isDeleted }) => isDeleted),
    ),
  }),
  fault("health/expired-work-keeps-its-worker", ["HLTH-05"], {
    describe: "A worker whose runsync job has expired in progress is never free again.",
    change: except("lifecycle.freesWorker", at("ttl-ran-out", isRunsync)),
  }),
  fault("health/cancelled-retry-counts-as-completed", ["HLTH-03"], {
    describe: "A retried job that is cancelled counts as completed.",
    change: instead("operations.countedAs", "completed", both(is("CANCELLED"), isRetried)),
  }),
  fault("health/second-runsync-failure-is-not-counted", ["HLTH-03"], {
    describe: "A retried runsync job that fails again is not counted.",
    change: instead(
      "operations.countedAs",
      undefined,
      both(is("FAILED"), both(isRunsync, isRetried)),
    ),
  }),
  fault("health/retry-of-timed-out-is-not-counted", ["HLTH-04"], {
    describe: "The retry of a job that timed out is not counted.",
    change: except("operations.countsRetry", hasExecutionTimeout),
  }),
  fault("retry/runsync-result-is-kept-as-that-of-run", ["SYNC-08", "RETR-06"], {
    describe: "The result of a runsync job that was retried is kept for 30 minutes.",
    change: instead("retention.keptMs", 1_800_000, both(isRunsync, isRetried)),
  }),
  fault("retry/webhook-is-tried-once-after-a-timeout", ["RETR-08", "HOOK-04"], {
    describe: "A job that was retried calls its webhook once, whatever the answer is.",
    change: instead("webhook.attemptsMax", 1, ({ job }) => isRetried(job)),
  }),
  fault("policy/low-priority-work-never-times-out", ["POLI-04"], {
    describe: "The executionTimeout of a lowPriority job ends nothing.",
    change: refuseEvent("execution-timed-out", isLowPriority),
  }),
  fault("policy/low-priority-never-expires", ["POLI-08"], {
    describe: "The ttl of a lowPriority job does not run out.",
    change: refuseEvent("ttl-ran-out", isLowPriority),
  }),
  fault("policy/timed-out-job-with-a-webhook-keeps-its-worker", ["POLI-04", "HLTH-05"], {
    describe: "A worker whose job timed out is not free again where the job has a webhook.",
    change: except("lifecycle.freesWorker", at("execution-timed-out", hasWebhook)),
  }),
  fault("cancel/job-with-a-webhook-keeps-its-worker", ["CANC-02"], {
    describe: "A worker whose job is cancelled is not free again where the job has a webhook.",
    change: except("lifecycle.freesWorker", at("cancel", hasWebhook)),
  }),
  fault("cancel/then-purge-forgets-the-job", ["CANC-04"], {
    describe: "A purge deletes jobs that were cancelled in the queue.",
    change: all(
      also("operations.purges", isCancelledInTheQueue),
      onEvent("purge", "DELETED", is("CANCELLED")),
      result(
        "operations.removedCount",
        (_count, removed) => removed.filter(({ status }) => status === "IN_QUEUE").length,
      ),
    ),
  }),
  fault("runsync/with-a-webhook-has-no-output", ["SYNC-01"], {
    describe: "runsync answers without the output where the job has a webhook.",
    change: inAnswerAbout("runsync", hasWebhook, ({ output: _output, ...body }) => body),
  }),
  fault("runsync/low-priority-does-not-wait", ["SYNC-02"], {
    describe: "A runsync with lowPriority answers at once, as run does.",
    change: except("operations.waitsForJob", isLowPriority),
  }),
  fault("runsync/with-a-ttl-does-not-wait", ["SYNC-02"], {
    describe: "A runsync with a ttl answers at once, as run does.",
    change: except("operations.waitsForJob", hasTtl),
  }),
  fault("status/ttl-of-status-ignores-retried-jobs", ["STAT-06"], {
    describe: "The ttl of status means nothing for a job that was retried.",
    change: instead("operations.ttlEndsAtMs", undefined, (_ttlMs, job) => isRetried(job)),
  }),
  fault("status/ttl-of-status-loses-to-that-of-policy", ["STAT-06"], {
    describe: "The ttl of status means nothing for a job with a ttl of its own.",
    change: instead("operations.ttlEndsAtMs", undefined, (_ttlMs, job) => hasTtl(job)),
  }),
  fault("status/ttl-of-status-spares-low-priority", ["STAT-06"], {
    describe: "The ttl of status means nothing for a lowPriority job.",
    change: instead("operations.ttlEndsAtMs", undefined, (_ttlMs, job) => isLowPriority(job)),
  }),
  fault("webhook/body-of-a-retry-has-the-first-times", ["HOOK-02"], {
    describe: "The webhook of a retried job that waited tells a delayTime of 0.",
    change: inCall({ delayTime: 0 }, both(isRetried, hasWaited)),
  }),
  fault("webhook/silent-for-low-priority-runsync", ["HOOK-01"], {
    describe: "A lowPriority job of runsync calls no webhook.",
    change: except("webhook.isCalledFor", both(isRunsync, isLowPriority)),
  }),
  fault("webhook/one-attempt-with-storage", ["HOOK-04"], {
    describe: "A job with an s3Config calls its webhook once, whatever the answer is.",
    change: instead("webhook.attemptsMax", 1, ({ job }) => hasStorage(job)),
  }),
  fault("stream/of-a-retry-lacks-its-first-chunk", ["STRM-02"], {
    describe: "The stream of a retried job begins with its second chunk.",
    change: result("stream.take", (chunks, job) => (isRetried(job) ? chunks.slice(1) : chunks)),
  }),
  fault("stream/of-runsync-after-the-wait-is-empty", ["STRM-02"], {
    describe: "The stream of a runsync job that was slower than its wait is empty.",
    change: instead("stream.take", [], hasOutlastedItsWait),
  }),
  fault("states/cancelled-runsync-shows-an-output", ["STAT-02"], {
    describe: "A runsync job that is cancelled in progress is shown with an output.",
    change: inRecord({ output: {} }, both(is("CANCELLED"), both(isRunsync, hasStarted))),
  }),
  fault("s3/failed-runsync-shows-the-bucket", ["S3CF-02"], {
    describe: "runsync answers a failed job with its s3Config.",
    change: inAnswerAbout("runsync", is("FAILED"), withLeak),
  }),
  fault("s3/retry-shows-the-config", ["S3CF-02"], {
    describe: "retry answers with the s3Config.",
    change: inAnswerAbout("retry", always, withLeak),
  }),
  fault("s3/timed-out-job-shows-the-config", ["S3CF-02"], {
    describe: "A job with an s3Config that timed out is shown with it.",
    change: inRecord(leakOf, is("TIMED_OUT")),
  }),
  fault("auth/foreign-key-may-retry", ["AUTH-05"], {
    describe: "A key without permission may retry.",
    change: also("authentication.permitsForeignKey", on("retry")),
  }),
  fault("health/low-priority-of-runsync-does-not-wait", ["HLTH-02"], {
    describe: "inQueue leaves out lowPriority jobs of runsync.",
    change: except("operations.countsAsWaiting", both(isRunsync, isLowPriority)),
  }),
  fault("webhook/expired-work-tells-a-completion", ["HOOK-08"], {
    describe: "A job that expires in progress calls its webhook, as if it had completed.",
    change: afterEvent("ttl-ran-out", is("IN_PROGRESS"), (hasExpired) => [
      onEvent("ttl-ran-out", "TIMED_OUT", is("IN_PROGRESS")),
      inCall({ status: "COMPLETED" }, hasExpired),
    ]),
  }),
  fault("purge/drops-what-webhooks-have-to-repeat", ["HOOK-04", "PURG-05"], {
    describe: "A purge drops the further attempts of webhooks, too.",
    change: remembering({ purges: 0, atFirst: new Map<Job, number>() }, (memory) => [
      whenever("operations.afterPurge", () => void (memory.purges += 1)),
      result("webhook.attemptsMax", (attemptsMax, { job, attempt }) => {
        if (attempt === 1) memory.atFirst.set(job, memory.purges);
        return memory.atFirst.get(job) === memory.purges ? attemptsMax : attempt;
      }),
    ]),
  }),
  fault("cancel/refused-one-drops-further-attempts", ["HOOK-04", "CANC-05"], {
    describe: "A cancel that is refused drops the further attempts of the job's webhook.",
    change: afterEvent("cancel", hasEnded, (wasCancelled) =>
      result("webhook.attemptsMax", (attemptsMax, { job, attempt }) =>
        wasCancelled(job) ? attempt : attemptsMax,
      ),
    ),
  }),
  fault("purge/counts-what-has-expired", ["PURG-01"], {
    describe: "removed counts jobs that have expired in the queue, too.",
    change: remembering(new Set<Job>(), (expired) => [
      result("lifecycle.next", (destination, job, event) => {
        if (event === "purge" && expired.has(job)) return "TIMED_OUT";
        if (event !== "ttl-ran-out" || job.status !== "IN_QUEUE") return destination;
        expired.add(job);
        return "TIMED_OUT";
      }),
      also("operations.purges", (job) => expired.has(job)),
      whenever("operations.afterPurge", () => expired.clear()),
    ]),
  }),
  fault("s3/config-is-lost-beside-a-webhook", ["S3CF-01"], {
    describe: "The s3Config of a job with a webhook stays with the service.",
    change: instead("lifecycle.handlerS3Config", undefined, hasWebhook),
  }),
  fault("policy/low-priority-holds-the-others-back", ["POLI-12"], {
    describe: "No worker is added while a lowPriority job waits, whatever waits behind it.",
    change: remembering(new Set<Job>(), (low) =>
      result("lifecycle.triggersScaling", (triggers, job) => {
        if (isLowPriority(job)) low.add(job);
        return triggers && ![...low].some(is("IN_QUEUE"));
      }),
    ),
  }),
  fault("retry/cancelled-retry-runs-again", ["RETR-05"], {
    describe: "A job that was cancelled after a retry may be retried once more.",
    change: onEvent("retry", "IN_QUEUE", both(is("CANCELLED"), isRetried)),
  }),
];

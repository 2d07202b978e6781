import type { AnswerContext, JobCounts } from "../../reference/behaviour/operations.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { Fault } from "../../reference/faults.ts";
import { tell } from "../../reference/job.ts";
import type { Job } from "../../reference/job.ts";
import type { TransitionEvent } from "../../reference/transitions.ts";
import { fault, remembering } from "./builders/compose.ts";
import { both, type JobCondition, always, is } from "./builders/conditions.ts";
import { hasEnded, isRunsync, isUnfinished, hasWebhook } from "./builders/jobs.ts";
import { afterTtlOfStatus } from "./builders/marks.ts";
import { also, type Change, instead, result, whenever } from "./builders/member.ts";

/** Bugs whose answers and webhook calls are right, but wait for something that they need not wait for. */
export const delayFaults: readonly Fault[] = [
  fault("delay/status-waits-for-a-worker", ["STAT-01"], {
    describe:
      "status of a queued job with a ttl to set is answered once a worker looks at the queue.",
    change: afterTtlOfStatus(always, (wasGivenOne) =>
      answersLate("status", both(is("IN_QUEUE"), wasGivenOne), 1_000),
    ),
  }),
  fault("delay/stream-waits-for-the-webhook", ["STRM-01"], {
    describe: "stream of a completed job is answered once its webhook has been called for good.",
    change: trackingOpenCalls((isCalling) => answersLate("stream", isCalling, 20_000)),
  }),
  fault("delay/retry-waits-for-the-webhook", ["RETR-01"], {
    describe: "retry of a failed job is answered once its webhook has been called for good.",
    change: trackingOpenCalls((isCalling) => answersLate("retry", isCalling, 20_000)),
  }),
  waitingForRunsync("delay/run-waits-for-runsync", "run", "RUNA-01"),
  waitingForRunsync("delay/status-waits-for-runsync", "status", "STAT-01"),
  waitingForRunsync("delay/stream-waits-for-runsync", "stream", "STRM-01"),
  fault("delay/run-waits-for-the-webhooks", ["RUNA-01", "HOOK-09"], {
    describe: "run on a queue of jobs is answered once no two webhooks are to be called again.",
    change: trackingOpenCalls((_isCalling, count) =>
      answersLateWhere("run", ({ inQueue }) => inQueue > 1 && count() > 1, 20_000),
    ),
  }),
  waitingForWebhooks("delay/purge-waits-for-the-webhooks", "purge-queue", "PURG-01"),
  waitingForRunsync("delay/cancel-waits-for-runsync", "cancel", "CANC-03"),
  waitingForWebhooks("delay/cancel-waits-for-the-webhooks", "cancel", "CANC-03"),
  fault("delay/webhook-at-the-next-sweep", ["HOOK-01"], {
    describe: "A sweep every five seconds calls the webhooks of what has ended.",
    change: result("webhook.startsAfterMs", (_ms, _job, nowMs) => 5_000 - (nowMs % 5_000)),
  }),
  fault("delay/webhook-behind-another-that-fails", ["HOOK-01"], {
    describe: "The webhook of a job is called once those before it were called for good.",
    change: trackingOpenCalls((isCalling, others) =>
      instead("webhook.startsAfterMs", 20_000, (job) => !isCalling(job) && others() > 0),
    ),
  }),
  waitingForRunsync("delay/retry-waits-for-runsync", "retry", "RETR-01"),
  fault("delay/purge-takes-seconds", ["PURG-01"], {
    describe: "purge-queue is answered 3 s late, where others take milliseconds.",
    change: instead("transport.delayAfterMs", 3_000, (operation) => operation === "purge-queue"),
  }),
  fault("delay/first-stream-of-an-ended-job-takes-seconds", ["STRM-01"], {
    describe: "The first stream of a job that has ended is answered 8 s late.",
    change: remembering(new Set<Job>(), (asked) =>
      answersLate("stream", (job) => hasEnded(job) && asked.size < asked.add(job).size, 8_000),
    ),
  }),
  fault("delay/retry-of-runsync-waits-for-its-end", ["RETR-01"], {
    describe: "retry of a runsync job is answered once that has ended, as runsync itself is.",
    change: answersLate("retry", both(isRunsync, isUnfinished), 90_000),
  }),
  waitingForWebhooks("delay/health-waits-for-the-webhooks", "health", "HLTH-01"),
  fault("delay/worker-of-expired-work-is-noticed-late", ["LIFE-03"], {
    describe: "A worker whose job expired takes a waiting job once another one is submitted.",
    change: noticedLate("ttl-ran-out"),
  }),
  fault("delay/worker-of-failed-work-is-noticed-late", ["LIFE-03"], {
    describe: "A worker whose job failed takes a waiting job once another one is submitted.",
    change: noticedLate("handler-raised"),
  }),
  fault("delay/worker-after-a-crash-is-noticed-late", ["LIFE-03"], {
    describe: "A worker in place of a crashed one takes a waiting job once another is submitted.",
    change: noticedLate("worker-died-again"),
  }),
  fault("delay/runsync-waits-for-its-webhook", ["SYNC-02"], {
    describe:
      "runsync of a job that takes no time is answered once its webhook was called for good.",
    change: remembering(new Set<Job>(), (calling) => [
      whenever("webhook.isCalledFor", (job) => {
        if (hasWebhook(job)) calling.add(job);
      }),
      whenever("webhook.acknowledges", ({ job, status, attempt }) => {
        if (status !== 200 && attempt < 3) return;
        calling.delete(job);
        tell(job.waiters);
      }),
      also("operations.waitsForJob", (job) => isRunsync(job) && calling.has(job)),
    ]),
  }),
];

/** Delays the answers of an operation by `ms` for jobs for which `condition` holds. */
function answersLate(wanted: OperationName, condition: JobCondition, ms: number): Change {
  return instead(
    "operations.answersAfterMs",
    ms,
    ({ operation, job }) => operation === wanted && job !== undefined && condition(job),
  );
}

/** Delays the answers of an operation by `ms` while `condition` holds of its endpoint's counts. */
function answersLateWhere(
  wanted: OperationName,
  condition: (counts: JobCounts) => boolean,
  ms: number,
): Change {
  return instead(
    "operations.answersAfterMs",
    ms,
    ({ operation }: AnswerContext, counts) => operation === wanted && condition(counts()),
  );
}

/** A change that knows which jobs have a webhook that is being called or will be called again, and how many. */
function trackingOpenCalls(use: (isCalling: JobCondition, count: () => number) => Change): Change {
  return remembering(new Set<Job>(), (calling) => [
    whenever("webhook.body", (_record, job) => void calling.add(job)),
    whenever("webhook.acknowledges", ({ job, status, attempt }) => {
      if (status === 200 || attempt === 3) calling.delete(job);
    }),
    use(
      (job) => calling.has(job),
      () => calling.size,
    ),
  ]);
}

/** Answers of one operation wait while two requests of runsync do. */
function waitingForRunsync(
  name: `delay/${string}`,
  operation: OperationName,
  breaks: RequirementId,
): Fault {
  return fault(name, [breaks], {
    describe: `${operation} is answered once no two requests of runsync wait, of whichever endpoint.`,
    change: remembering(new Set<Job>(), (held) => [
      whenever("operations.waitsForMs", (job) => void held.add(job)),
      answersLateWhere(operation, () => countUnfinished(held) > 1, 1_000),
    ]),
  });
}

function countUnfinished(jobs: ReadonlySet<Job>): number {
  return [...jobs].filter((job) => isUnfinished(job) && !job.isDeleted).length;
}

/** Answers of one operation wait while a webhook is to be called again. */
function waitingForWebhooks(
  name: `delay/${string}`,
  operation: OperationName,
  breaks: RequirementId,
): Fault {
  return fault(name, [breaks], {
    describe: `${operation} is answered once no webhook is to be called again.`,
    change: trackingOpenCalls((_isCalling, count) =>
      answersLateWhere(operation, () => count() > 0, 20_000),
    ),
  });
}

/** Takes no job from the queue from the moment an event frees a worker until the next submission. */
function noticedLate(event: TransitionEvent): Change {
  return remembering({ isUnnoticed: false }, (worker) => [
    whenever("lifecycle.freesWorker", (_job, given) => {
      if (given === event) worker.isUnnoticed = true;
    }),
    whenever("submission.jobId", () => {
      worker.isUnnoticed = false;
    }),
    instead("lifecycle.takeNext", undefined, () => worker.isUnnoticed),
  ]);
}

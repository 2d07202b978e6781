import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import type { JobStatus } from "../../openapi/schemas.ts";
import type { TransitionEvent } from "../../reference/transitions.ts";
import { fault, remembering } from "./builders/compose.ts";
import { both, is, on, type JobCondition, always, not } from "./builders/conditions.ts";
import { onEvent, refuseEvent, runningAgain } from "./builders/events.ts";
import {
  hasEnded,
  hasStarted,
  isLowPriority,
  isRetried,
  isRun,
  isRunsync,
  hasWebhook,
  hasExecutionTimeout,
  hasTtl,
} from "./builders/jobs.ts";
import { afterEvent, afterPurge, afterTtlOfStatus } from "./builders/marks.ts";
import { also, except, instead, result, whenever, type Change } from "./builders/member.ts";
import { withHomes } from "./builders/numbers.ts";

/** Bugs of what happens later: a timer that is shared, kept, lost or of the wrong job, and what a retry sets anew. */
export const timerFaults: readonly Fault[] = [
  fault("policy/ttls-of-an-instant-are-one", ["POLI-09"], {
    describe: "Of jobs at work whose ttl runs out at the same instant one expires.",
    change: withHomes((homeOf) =>
      remembering(new Map<string, Job>(), (slots) =>
        refuseEvent("ttl-ran-out", (job) => {
          if (job.status !== "IN_PROGRESS") return false;
          const key = `${homeOf(job)} ${job.submittedAtMs + (job.submission.policy.ttl ?? 0)}`;
          const owner = slots.get(key) ?? job;
          slots.set(key, owner);
          return owner !== job;
        }),
      ),
    ),
  }),
  fault("retry/results-are-deleted-in-order", ["RETR-06"], {
    describe: "A result is deleted once those that ended before it are.",
    change: withHomes((homeOf) =>
      remembering(new Map<string, number>(), (ends) =>
        result("retention.keptMs", (keptMs, job) => {
          const { finishedAtMs = 0 } = job;
          const endsAtMs = Math.max(finishedAtMs + keptMs, ends.get(homeOf(job)) ?? 0);
          ends.set(homeOf(job), endsAtMs);
          return endsAtMs - finishedAtMs;
        }),
      ),
    ),
  }),
  fault("policy/timeouts-end-in-order", ["POLI-04"], {
    describe: "A job runs past its executionTimeout until those that started before it are over.",
    change: remembering(new Map<string, Map<Job, number>>(), (lists) =>
      result("lifecycle.executionTimeoutMs", (timeoutMs, job, _defaultMs, endpointId) => {
        const ends = lists.get(endpointId) ?? new Map<Job, number>();
        lists.set(endpointId, ends);
        const { startedAtMs = 0 } = job;
        const before = [...ends].flatMap(([{ status }, endMs]) =>
          status === "IN_PROGRESS" ? [endMs] : [],
        );
        const endsAtMs = Math.max(startedAtMs + timeoutMs, ...before);
        ends.set(job, endsAtMs);
        return endsAtMs - startedAtMs;
      }),
    ),
  }),
  fault("policy/timeout-of-completed-work-ends-the-next", ["POLI-06"], {
    describe: "The executionTimeout of a job that completed ends the next job of its worker.",
    change: endingTheNextAfter("handler-returned"),
  }),
  fault("policy/timeout-of-cancelled-work-ends-the-next", ["POLI-06"], {
    describe: "The executionTimeout of a job that was cancelled ends the next job of its worker.",
    change: endingTheNextAfter("cancel"),
  }),
  fault("policy/timeout-of-expired-work-ends-the-next", ["POLI-06"], {
    describe: "The executionTimeout of a job that expired ends the next job of its worker.",
    change: endingTheNextAfter("ttl-ran-out"),
  }),
  fault("policy/execution-timeout-is-cut-to-seconds", ["POLI-04"], {
    describe: "What an executionTimeout has beyond whole seconds is cut off.",
    change: result("lifecycle.executionTimeoutMs", (ms) => Math.floor(ms / 1000) * 1000),
  }),
  fault("policy/execution-timeout-is-rounded-up", ["POLI-04"], {
    describe: "An executionTimeout is rounded up to whole seconds.",
    change: result("lifecycle.executionTimeoutMs", (ms) => Math.ceil(ms / 1000) * 1000),
  }),
  fault("policy/ttl-is-cut-to-seconds", ["POLI-09"], {
    describe: "What a ttl has beyond whole seconds is cut off.",
    change: result("lifecycle.ttlMs", (ms) => Math.floor(ms / 1000) * 1000),
  }),
  fault("status/earlier-ttl-still-counts", ["STAT-06"], {
    describe: "A ttl that status gave still counts after status gave a longer one.",
    change: remembering(new Map<Job, number>(), (ends) =>
      result("operations.ttlEndsAtMs", (endsAtMs, _ttlMs, job) => {
        if (endsAtMs === undefined) return undefined;
        const first = Math.min(endsAtMs, ends.get(job) ?? endsAtMs);
        ends.set(job, first);
        return first;
      }),
    ),
  }),
  fault("status/ttl-of-a-queued-job-spares-its-work", ["STAT-06"], {
    describe: "A ttl that status gave a queued job no longer counts once a worker has taken it.",
    change: afterTtlOfStatus(is("IN_QUEUE"), (wasGivenOne) =>
      except("lifecycle.ttlCounts", both(is("IN_PROGRESS"), wasGivenOne)),
    ),
  }),
  fault("status/ttl-deletes-what-failed-in-time", ["RUNA-04"], {
    describe: "A ttl that status gave deletes a job that has failed before it ran out.",
    change: deletedByTtlOfStatus("FAILED"),
  }),
  fault("status/ttl-deletes-what-completed-in-time", ["RUNA-04"], {
    describe: "A ttl that status gave deletes a job that has completed before it ran out.",
    change: deletedByTtlOfStatus("COMPLETED"),
  }),
  fault("purge/retry-of-work-beside-it-is-lost", ["RETR-03"], {
    describe: "A job that was at work when the queue was purged is not processed once retried.",
    change: afterPurge(is("IN_PROGRESS"), (wasThere) =>
      except("lifecycle.entersQueue", both(isRetried, wasThere)),
    ),
  }),
  fault("purge/stops-the-timeouts", ["POLI-04"], {
    describe: "A purge stops the timers of executionTimeout of jobs at work.",
    change: afterPurge(is("IN_PROGRESS"), (wasThere) =>
      refuseEvent("execution-timed-out", wasThere),
    ),
  }),
  fault("purge/stops-the-ttl-of-work", ["POLI-09"], {
    describe: "A purge stops the timers of ttl of jobs at work.",
    change: afterPurge(is("IN_PROGRESS"), (wasThere) => refuseEvent("ttl-ran-out", wasThere)),
  }),
  fault("purge/stops-the-retention", ["RUNA-05"], {
    describe: "A purge stops the timers that delete finished jobs.",
    change: afterPurge(hasEnded, (wasThere) => refuseEvent("retention-ended", wasThere)),
  }),
  fault("cancel/failed-job-cannot-be-retried-then", ["CANC-05"], {
    describe: "A failed job that was cancelled, too late, cannot be retried.",
    change: notRetriedAfterCancel("FAILED"),
  }),
  fault("cancel/timed-out-job-cannot-be-retried-then", ["CANC-05"], {
    describe: "A job that timed out and was cancelled, too late, cannot be retried.",
    change: notRetriedAfterCancel("TIMED_OUT"),
  }),
  fault("run/late-cancel-prolongs", ["RUNA-07"], {
    describe: "A cancel of a finished job starts its retention anew.",
    change: also("retention.isProlongedBy", on("cancel")),
  }),
  fault("run/refused-retry-prolongs", ["RUNA-07"], {
    describe: "A retry that is refused starts the retention of a completed job anew.",
    change: also(
      "retention.isProlongedBy",
      (operation, { status }) => operation === "retry" && status === "COMPLETED",
    ),
  }),
  fault("run/reading-prolongs-retried-results", ["RUNA-07"], {
    describe: "Each status read of a job that was retried starts its retention anew.",
    change: also(
      "retention.isProlongedBy",
      (operation, job) => operation === "status" && isRetried(job),
    ),
  }),
  fault("retry/completed-job-is-kept-for-an-hour", ["RUNA-05"], {
    describe: "A run job that completed after a retry is kept for an hour.",
    change: instead("retention.keptMs", 3_600_000, both(is("COMPLETED"), both(isRun, isRetried))),
  }),
  fault("retry/timed-out-job-is-gone-early", ["RUNA-04"], {
    describe: "A run job that timed out after a retry is kept for 29 minutes.",
    change: instead("retention.keptMs", 1_740_000, both(is("TIMED_OUT"), both(isRun, isRetried))),
  }),
  fault("retry/failed-runsync-job-stays", ["RETR-06"], {
    describe: "A runsync job that failed after a retry is kept for 20 minutes.",
    change: instead("retention.keptMs", 1_200_000, both(is("FAILED"), both(isRunsync, isRetried))),
  }),
  fault("runsync/timed-out-job-is-gone-early", ["SYNC-07"], {
    describe: "A runsync job that timed out is kept for 40 seconds.",
    change: instead("retention.keptMs", 40_000, both(is("TIMED_OUT"), isRunsync)),
  }),
  fault("policy/endpoint-default-spares-retries", ["POLI-06"], {
    describe: "The endpoint's default does not count for a job that was retried.",
    change: withoutEndpointDefault(isRetried),
  }),
  fault("policy/endpoint-default-spares-runsync", ["POLI-06"], {
    describe: "The endpoint's default does not count for a job of runsync.",
    change: withoutEndpointDefault(isRunsync),
  }),
  fault("policy/endpoint-default-spares-jobs-with-a-ttl", ["POLI-06"], {
    describe: "The endpoint's default does not count for a job with a ttl.",
    change: withoutEndpointDefault(hasTtl),
  }),
  fault("policy/low-priority-has-no-default-timeout", ["POLI-05"], {
    describe: "A lowPriority job without an executionTimeout is not stopped after 10 minutes.",
    change: refuseEvent("execution-timed-out", both(isLowPriority, not(hasExecutionTimeout))),
  }),
  fault("policy/retried-job-has-no-default-timeout", ["POLI-05"], {
    describe: "A retried job without an executionTimeout is not stopped after 10 minutes.",
    change: refuseEvent("execution-timed-out", both(isRetried, not(hasExecutionTimeout))),
  }),
  fault("policy/runsync-adds-no-worker", ["POLI-12"], {
    describe: "A job of runsync adds no worker.",
    change: except("lifecycle.triggersScaling", isRunsync),
  }),
  fault("policy/ttl-adds-no-worker", ["POLI-12"], {
    describe: "A job with a ttl adds no worker.",
    change: except("lifecycle.triggersScaling", hasTtl),
  }),
  fault("policy/low-priority-with-a-webhook-scales", ["POLI-12"], {
    describe: "A lowPriority job with a webhook adds a worker.",
    change: also("lifecycle.triggersScaling", hasWebhook),
  }),
  fault("retry/low-priority-is-forgotten-after-a-timeout", ["RETR-08"], {
    describe: "A lowPriority job that timed out adds a worker when it is retried.",
    change: also("lifecycle.triggersScaling", both(isRetried, hasExecutionTimeout)),
  }),
  fault("policy/expired-low-priority-is-processed-unseen", ["POLI-08"], {
    describe: "A lowPriority job that has expired in the queue is processed all the same.",
    change: runningAgain("ttl-ran-out", [5], both(is("IN_QUEUE"), isLowPriority)),
  }),
  fault("cancel/low-priority-is-processed-unseen", ["CANC-01"], {
    describe: "A lowPriority job that was cancelled in the queue is processed all the same.",
    change: runningAgain("cancel", [5], both(isLowPriority, not(hasStarted))),
  }),
  fault("states/timed-out-work-is-handed-out-again", ["LIFE-01"], {
    describe: "A job that timed out is processed again half a minute later, and nobody sees it.",
    change: runningAgain("execution-timed-out", [30_000]),
  }),
  fault("states/cancelled-work-is-handed-out-again", ["LIFE-01"], {
    describe: "A job cancelled at work is processed again half a minute later, and nobody sees it.",
    change: runningAgain("cancel", [30_000], hasStarted),
  }),
];

/** Lets the executionTimeout of a job that ended by `event` go on on its worker, and end the job after it. */
function endingTheNextAfter(event: TransitionEvent): Change {
  return remembering(
    { lasts: new Map<string, { job: Job; endsAtMs: number }>(), ended: new Map<Job, string>() },
    ({ lasts, ended }) => [
      whenever("lifecycle.next", (job, given) => {
        if (job.status === "IN_PROGRESS") ended.set(job, given);
      }),
      result("lifecycle.executionTimeoutMs", (timeoutMs, job, _defaultMs, endpointId) => {
        const { startedAtMs = 0, workerId = "" } = job;
        const key = `${endpointId} ${workerId}`;
        const last = lasts.get(key);
        lasts.set(key, { job, endsAtMs: startedAtMs + timeoutMs });
        if (last === undefined || ended.get(last.job) !== event) return timeoutMs;
        const leftMs = last.endsAtMs - startedAtMs;
        return leftMs > 0 ? Math.min(leftMs, timeoutMs) : timeoutMs;
      }),
    ],
  );
}

/** Lets a ttl that status gave an unfinished job delete it after it has ended in this state. */
function deletedByTtlOfStatus(status: JobStatus): Change {
  return afterTtlOfStatus(always, (wasGivenOne) => [
    also("lifecycle.ttlCounts", both(is(status), wasGivenOne)),
    onEvent("ttl-ran-out", "DELETED", is(status)),
  ]);
}

function notRetriedAfterCancel(status: JobStatus): Change {
  return afterEvent("cancel", is(status), (wasCancelled) => refuseEvent("retry", wasCancelled));
}

function withoutEndpointDefault(condition: JobCondition): Change {
  return result("lifecycle.executionTimeoutMs", (timeoutMs, job) =>
    condition(job) ? (job.submission.policy.executionTimeout ?? 600_000) : timeoutMs,
  );
}

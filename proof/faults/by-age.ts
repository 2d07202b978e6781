import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import { inAnswerAbout, inRecord, inTime, inCall } from "./builders/answers.ts";
import { type Changes, fault, remembering } from "./builders/compose.ts";
import { at, both, is, type JobCondition } from "./builders/conditions.ts";
import { onEvent, refuseEvent } from "./builders/events.ts";
import { repeatedAfter } from "./builders/webhook-calls.ts";
import { endedMs, isRun, isRunsync } from "./builders/jobs.ts";
import {
  except,
  instead,
  override,
  replace,
  result,
  whenever,
  type Change,
} from "./builders/member.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Bugs that show only with jobs of minutes, hours and days, not with jobs of seconds. */
export const ageFaults: readonly Fault[] = [
  fault("webhook/silent-after-five-minutes-of-work", ["HOOK-01"], {
    describe: "A job that has worked for more than five minutes calls no webhook.",
    change: except("webhook.isCalledFor", workedFor(5 * MINUTE_MS)),
  }),
  fault("webhook/silent-after-an-hour-in-the-queue", ["HOOK-01"], {
    describe: "A job that has waited for more than an hour calls no webhook.",
    change: except("webhook.isCalledFor", waitedFor(HOUR_MS)),
  }),
  fault("webhook/told-twice-after-an-hour-in-the-queue", ["HOOK-03"], {
    describe: "An acknowledged call of a job that has waited for more than an hour is repeated.",
    change: repeatedAfter(10_000, waitedFor(HOUR_MS)),
  }),
  fault("webhook/second-success-of-long-work-is-not-believed", ["HOOK-03"], {
    describe: "A call of a job of hours that succeeds on its second attempt is made once more.",
    change: except(
      "webhook.acknowledges",
      ({ attempt, job }) => attempt === 2 && workedFor(HOUR_MS)(job),
    ),
  }),
  fault("webhook/body-of-long-work-has-no-output", ["HOOK-02"], {
    describe: "The webhook of a job that has worked for more than an hour brings no output.",
    change: inCall({ output: undefined }, workedFor(HOUR_MS)),
  }),
  fault("webhook/attempts-end-with-a-short-retention", ["HOOK-04"], {
    describe: "A job that is older than a minute calls its webhook once only.",
    change: instead("webhook.attemptsMax", 1, ({ job }) => ageAtEnd(job) > MINUTE_MS),
  }),
  fault("status/execution-time-has-an-hour-at-most", ["STAT-05"], {
    describe: "executionTime begins at 0 again after an hour.",
    change: inTime("operations.executionMs", (ms) => ms % HOUR_MS),
  }),
  fault("status/delay-has-half-a-day-at-most", ["STAT-05"], {
    describe: "delayTime begins at 0 again after twelve hours.",
    change: inTime("operations.delayMs", (ms) => ms % (12 * HOUR_MS)),
  }),
  fault("status/long-execution-is-in-seconds", ["STAT-04", "STAT-05"], {
    describe: "executionTime is in seconds for work of more than ten minutes.",
    change: inTime("operations.executionMs", (ms) =>
      ms > 10 * MINUTE_MS ? Math.round(ms / 1000) : ms,
    ),
  }),
  fault("run/result-of-long-work-is-gone-early", ["RUNA-04", "RUNA-06"], {
    describe: "The result of a job that has worked for more than ten minutes is kept for five.",
    change: instead("retention.keptMs", 5 * MINUTE_MS, both(isRun, workedFor(10 * MINUTE_MS))),
  }),
  fault("run/result-after-a-long-queue-is-gone-early", ["RUNA-06"], {
    describe: "The result of a job that has waited for more than an hour is kept for a minute.",
    change: instead("retention.keptMs", MINUTE_MS, both(isRun, waitedFor(HOUR_MS))),
  }),
  fault("policy/an-hour-in-the-queue-uses-up-the-timeout", ["POLI-07"], {
    describe: "A wait of more than an hour is taken off the executionTimeout.",
    change: result("lifecycle.executionTimeoutStartsAtMs", (atMs, { queuedAtMs }) =>
      atMs - queuedAtMs > HOUR_MS ? queuedAtMs : atMs,
    ),
  }),
  fault("run/output-is-gone-after-ten-minutes", ["RUNA-04"], {
    describe: "Ten minutes after its completion a job is shown without its output.",
    change: except(
      "operations.showsOutput",
      (job, { nowMs }) => isRun(job) && endedMs(job, nowMs) > 10 * MINUTE_MS,
    ),
  }),
  fault("runsync/result-after-the-wait-is-gone-early", ["SYNC-07"], {
    describe: "The result of a runsync job that outlasts two minutes is kept for 30 seconds.",
    change: instead("retention.keptMs", 30_000, both(isRunsync, workedFor(2 * MINUTE_MS))),
  }),
  fault("runsync/result-of-long-work-stays-for-half-an-hour", ["SYNC-08"], {
    describe: "The result of a runsync job of more than five minutes is kept as that of run.",
    change: instead("retention.keptMs", 30 * MINUTE_MS, both(isRunsync, workedFor(5 * MINUTE_MS))),
  }),
  fault("retry/after-a-long-queue-is-refused", ["RETR-01", "RETR-07"], {
    describe: "A failed job that was submitted more than an hour ago cannot be retried.",
    change: refuseEvent(
      "retry",
      both(is("FAILED"), (job) => ageAtEnd(job) > HOUR_MS),
    ),
  }),
  fault("retry/after-long-work-is-refused", ["RETR-02"], {
    describe: "A job that timed out after more than an hour of work cannot be retried.",
    change: refuseEvent("retry", both(is("TIMED_OUT"), workedFor(HOUR_MS))),
  }),
  fault("retry/late-one-has-no-input", ["RETR-03"], {
    describe:
      "A job that waits for more than ten minutes for its retry is processed without input.",
    change: instead("lifecycle.handlerInput", {}, wasRetriedLate),
  }),
  fault("policy/six-hours-of-work-never-time-out", ["POLI-06", "POLI-04"], {
    describe: "An executionTimeout of more than six hours ends nothing.",
    change: refuseEvent(
      "execution-timed-out",
      ({ submission }) => (submission.policy.executionTimeout ?? 0) > 6 * HOUR_MS,
    ),
  }),
  fault("policy/ttl-of-days-never-runs-out", ["POLI-08"], {
    describe: "A ttl of more than two days never runs out in the queue.",
    change: refuseEvent(
      "ttl-ran-out",
      both(is("IN_QUEUE"), ({ submission }) => (submission.policy.ttl ?? 0) > 2 * DAY_MS),
    ),
  }),
  fault("policy/ttl-of-hours-spares-work", ["POLI-09"], {
    describe: "A ttl of more than an hour does not end a job in progress.",
    change: refuseEvent(
      "ttl-ran-out",
      both(is("IN_PROGRESS"), ({ submission }) => (submission.policy.ttl ?? 0) > HOUR_MS),
    ),
  }),
  fault("policy/ttl-cuts-results-of-long-work", ["POLI-13"], {
    describe:
      "The result of a job that has used up more than half of its ttl is kept for a minute.",
    change: instead("retention.keptMs", MINUTE_MS, (job) => {
      const { ttl } = job.submission.policy;
      return ttl !== undefined && ttl > MINUTE_MS && ageAtEnd(job) > ttl / 2;
    }),
  }),
  fault("cancel/after-an-hour-of-work-is-refused", ["CANC-02"], {
    describe: "A job that has worked for more than an hour cannot be cancelled.",
    change: rememberingReads((lastReadMs) =>
      refuseEvent(
        "cancel",
        (job) =>
          job.status === "IN_PROGRESS" && lastReadMs(job) - (job.startedAtMs ?? Infinity) > HOUR_MS,
      ),
    ),
  }),
  fault("cancel/after-hours-in-the-queue-is-refused", ["CANC-01"], {
    describe: "A job that has waited for more than two hours cannot be cancelled.",
    change: rememberingReads((lastReadMs) =>
      refuseEvent(
        "cancel",
        (job) => job.status === "IN_QUEUE" && lastReadMs(job) - job.queuedAtMs > 2 * HOUR_MS,
      ),
    ),
  }),
  fault("purge/spares-jobs-of-yesterday", ["PURG-01", "PURG-02"], {
    describe: "A purge leaves jobs that have waited for more than an hour.",
    change: rememberingReads((lastReadMs) =>
      except("operations.purges", (job) => lastReadMs(job) - job.queuedAtMs > HOUR_MS),
    ),
  }),
  fault("health/completed-forgets-what-is-deleted", ["HLTH-03"], {
    describe: "completed counts the results that are still kept.",
    change: replace("operations.takesBack", ({ status }) =>
      status === "COMPLETED" ? "completed" : undefined,
    ),
  }),
  fault("health/failed-forgets-what-is-deleted", ["HLTH-03"], {
    describe: "failed counts the failed jobs that are still kept.",
    change: replace("operations.takesBack", ({ status }) =>
      status === "FAILED" ? "failed" : undefined,
    ),
  }),
  fault("stream/forgets-chunks-of-ten-minutes-ago", ["STRM-02"], {
    describe: "A job that has worked for more than ten minutes has lost its first chunk.",
    change: result("stream.take", (chunks, job) =>
      workedFor(10 * MINUTE_MS)(job) && job.chunksRead >= job.chunks.length
        ? chunks.slice(1)
        : chunks,
    ),
  }),
  fault("states/completed-job-shown-failed-after-20-minutes", ["LIFE-02"], {
    describe: "A completed job is shown as FAILED from twenty minutes after its end.",
    change: inRecord(
      { status: "FAILED" },
      (job, { nowMs }) => job.status === "COMPLETED" && endedMs(job, nowMs) > 20 * MINUTE_MS,
    ),
  }),
  fault("states/waits-for-an-hour-and-starts", ["LIFE-03"], {
    describe: "A job that has waited for more than an hour is not taken any more.",
    change: rememberingReads((lastReadMs) =>
      instead("lifecycle.takeNext", undefined, (queue) => {
        const [first] = queue.values();
        return first !== undefined && lastReadMs(first) - first.queuedAtMs > HOUR_MS;
      }),
    ),
  }),
  fault("states/failure-after-a-long-queue-completes", ["LIFE-04"], {
    describe:
      "A job that has waited for more than ten minutes is COMPLETED also where its handler raises.",
    change: onEvent(
      "handler-raised",
      "COMPLETED",
      (job) => job.submittedAtMs + 10 * MINUTE_MS < (job.startedAtMs ?? 0),
    ),
  }),
  fault("health/long-timeout-keeps-its-worker", ["HLTH-05"], {
    describe: "A worker whose job has timed out after more than an hour is never free again.",
    change: except(
      "lifecycle.freesWorker",
      at(
        "execution-timed-out",
        ({ submission }) => (submission.policy.executionTimeout ?? 0) > HOUR_MS,
      ),
    ),
  }),
  fault("runsync/result-after-a-long-queue-is-gone-early", ["SYNC-07"], {
    describe:
      "The result of a runsync job that has waited for five minutes is kept for ten seconds.",
    change: instead("retention.keptMs", 10_000, both(isRunsync, waitedFor(5 * MINUTE_MS))),
  }),
  fault("runsync/output-is-lost-on-a-long-line", ["SYNC-01", "SYNC-02"], {
    describe: "A runsync that has waited for more than two minutes answers without the output.",
    change: inAnswerAbout(
      "runsync",
      workedFor(2 * MINUTE_MS),
      ({ output: _output, ...body }) => body,
    ),
  }),
  fault("retry/long-work-that-timed-out-is-gone-early", ["RETR-02", "LIFE-02"], {
    describe: "A job that timed out after more than an hour of work is kept for a minute.",
    change: instead("retention.keptMs", MINUTE_MS, both(is("TIMED_OUT"), workedFor(HOUR_MS))),
  }),
  fault("cancel/record-of-long-work-is-gone-early", ["CANC-04", "LIFE-02"], {
    describe: "A job that is cancelled after more than an hour of work is kept for ten seconds.",
    change: instead("retention.keptMs", 10_000, both(is("CANCELLED"), workedFor(HOUR_MS))),
  }),
  fault("status/ttl-of-weeks-ends-at-once", ["STAT-06"], {
    describe: "A ttl of status that no timer of 32 bits can hold runs out at once.",
    change: result("operations.ttlEndsAtMs", (endsAtMs, ttlMs, _job, nowMs) =>
      ttlMs > 2 ** 31 - 1 ? nowMs + 1 : endsAtMs,
    ),
  }),
  fault("status/ttl-of-hours-is-one-hour", ["STAT-06"], {
    describe: "The ttl of status is cut at an hour.",
    change: result("operations.ttlEndsAtMs", (endsAtMs, ttlMs, _job, nowMs) =>
      ttlMs > HOUR_MS ? nowMs + HOUR_MS : endsAtMs,
    ),
  }),
  fault("retry/late-one-has-no-webhook", ["RETR-08", "HOOK-01"], {
    describe: "A job that is retried more than ten minutes after its submission calls no webhook.",
    change: except("webhook.isCalledFor", wasRetriedLate),
  }),
  fault("retry/late-one-has-the-default-timeout", ["RETR-08"], {
    describe:
      "A job that is retried more than ten minutes after its submission has no executionTimeout of its own.",
    change: instead("lifecycle.executionTimeoutMs", 600_000, wasRetriedLate),
  }),
  fault("states/idle-endpoint-falls-asleep", ["LIFE-03"], {
    describe: "Workers that had nothing to do for two hours take no job any more.",
    change: remembering(new Map<unknown, Job>(), (latest) =>
      override("lifecycle.takeNext", (takeNext) => (queue) => {
        const job = takeNext(queue);
        const endedAtMs = latest.get(queue)?.finishedAtMs;
        if (job === undefined) return undefined;
        if (endedAtMs !== undefined && job.queuedAtMs - endedAtMs > 2 * HOUR_MS) return undefined;
        latest.set(queue, job);
        return job;
      }),
    ),
  }),
];

/** A change that knows when each job was last read, on its endpoint's clock in milliseconds; 0 where it never was. */
function rememberingReads(use: (lastReadMs: (job: Job) => number) => Changes): Change {
  return remembering(new Map<string, number>(), (reads) => [
    whenever("retention.shows", ({ id }, _operation, nowMs) => void reads.set(id, nowMs)),
    use(({ id }) => reads.get(id) ?? 0),
  ]);
}

function workedFor(ms: number): JobCondition {
  return ({ startedAtMs, finishedAtMs }) =>
    startedAtMs !== undefined && finishedAtMs !== undefined && finishedAtMs - startedAtMs > ms;
}

function waitedFor(ms: number): JobCondition {
  return ({ queuedAtMs, startedAtMs }) =>
    startedAtMs !== undefined && startedAtMs - queuedAtMs > ms;
}

/** The time from submission to end, in milliseconds; 0 for a job that has not ended. */
function ageAtEnd({ submittedAtMs, finishedAtMs }: Job): number {
  return finishedAtMs === undefined ? 0 : finishedAtMs - submittedAtMs;
}

function wasRetriedLate({ attempt, queuedAtMs, submittedAtMs }: Job): boolean {
  return attempt > 1 && queuedAtMs - submittedAtMs > 10 * MINUTE_MS;
}

import type { JobCounts } from "../../reference/behaviour/operations.ts";
import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import { counting, inRecord, miscounting } from "./builders/answers.ts";
import { all, fault, remembering, withCounts } from "./builders/compose.ts";
import { at, is, type JobCondition, always, not } from "./builders/conditions.ts";
import { atEvent, onEvent, refuseEvent } from "./builders/events.ts";
import { hasEnded, isRetried, isRun, isRunsync, hasStarted } from "./builders/jobs.ts";
import { afterCall } from "./builders/marks.ts";
import { type Change, except, instead, result, whenever } from "./builders/member.ts";

/** Bugs in the order in which things become true and are shown. */
export const orderFaults: readonly Fault[] = [
  fault("webhook/called-before-a-failure-is-kept", ["HOOK-08"], {
    describe: "status shows a failed job in progress until its webhook was answered.",
    change: shownInProgressWhileCalling(is("FAILED")),
  }),
  fault("webhook/of-runsync-called-before-the-end-is-kept", ["HOOK-08"], {
    describe: "status shows a runsync job in progress until its webhook was answered.",
    change: shownInProgressWhileCalling(isRunsync),
  }),
  fault("webhook/of-a-retry-called-before-the-end-is-kept", ["HOOK-08", "RETR-08"], {
    describe: "status shows a retried job in progress until its webhook was answered.",
    change: shownInProgressWhileCalling(isRetried),
  }),
  fault("webhook/acknowledged-job-is-deleted", ["HOOK-09", "RUNA-04"], {
    describe: "A job is deleted when its webhook was acknowledged.",
    change: afterCall(
      ({ status }) => status === 200,
      (wasAcknowledged) => except("retention.shows", wasAcknowledged),
    ),
  }),
  fault("webhook/counted-when-it-is-answered", ["HLTH-03"], {
    describe: "health counts a completed job with a webhook only once its webhook was answered.",
    change: remembering({ pending: 0 }, (calls) => [
      whenever(
        "webhook.body",
        (_record, { status }, attempt) =>
          void (calls.pending += attempt === 1 && status === "COMPLETED" ? 1 : 0),
      ),
      whenever(
        "webhook.acknowledges",
        ({ attempt, job }) =>
          void (calls.pending -= attempt === 1 && job.status === "COMPLETED" ? 1 : 0),
      ),
      counting(({ completed }) => ({ completed: Math.max(0, completed - calls.pending) })),
    ]),
  }),
  fault("cancel/answered-before-its-effect", ["CANC-04"], {
    describe: "A job that was cancelled in progress is shown in progress once more.",
    change: shownOnceAs("cancel", "IN_PROGRESS", hasStarted),
  }),
  fault("cancel/queued-one-answered-before-its-effect", ["CANC-04"], {
    describe: "A job that was cancelled in the queue is shown IN_QUEUE once more.",
    change: shownOnceAs("cancel", "IN_QUEUE", not(hasStarted)),
  }),
  fault("retry/answered-before-its-effect", ["RETR-01", "LIFE-01"], {
    describe: "A job that was retried is shown as FAILED once more.",
    change: shownOnceAs("retry", "FAILED", always),
  }),
  fault("runsync/answered-before-status-knows", ["LIFE-02"], {
    describe: "After runsync has answered COMPLETED status shows the job in progress once.",
    change: shownOnceAs("handler-returned", "IN_PROGRESS", isRunsync),
  }),
  fault("states/completed-and-back-for-a-read", ["LIFE-02"], {
    describe: "The third read of a completed job comes from a replica that has it in progress.",
    change: withCounts((reads) =>
      inRecord({ status: "IN_PROGRESS" }, (job, { operation }) => {
        if (operation !== "status" || job.status !== "COMPLETED") return false;
        return reads.add(job) === 3 && isRun(job);
      }),
    ),
  }),
  fault("health/completion-counts-from-the-start", ["HLTH-03"], {
    describe: "health counts a job as completed as soon as a worker has taken it.",
    change: counting(({ completed, inProgress }) => ({ completed: completed + inProgress })),
  }),
  fault("health/retry-counts-before-it-is-accepted", ["HLTH-04"], {
    describe: "retried counts refused retries, too.",
    change: miscounting("retried", 1, (count) =>
      result("lifecycle.next", (destination, _job, event) => {
        if (event === "retry" && destination === undefined) count();
        return destination;
      }),
    ),
  }),
  fault("health/cached-for-a-few-reads", ["HLTH-02"], {
    describe: "Every third health is the answer of the one before it.",
    change: remembering({ reads: 0, waiting: 0 }, (cache) =>
      counting(({ inQueue }) => {
        cache.reads += 1;
        if (cache.reads % 3 !== 0) cache.waiting = inQueue;
        return { inQueue: cache.waiting };
      }),
    ),
  }),
  fault("stream/shows-a-chunk-that-is-taken-back", ["STRM-02"], {
    describe:
      "A read of a stream in progress shows its newest chunk, and the next read shows it again.",
    change: remembering(new Set<Job>(), (shown) =>
      result("stream.take", (chunks, job) => {
        if (job.status === "IN_PROGRESS" && chunks.length > 0 && !shown.has(job)) {
          shown.add(job);
          job.chunksRead -= 1;
        }
        return chunks;
      }),
    ),
  }),
  fault("stream/ends-before-its-last-chunk", ["STRM-02"], {
    describe: "The first read of a completed stream lacks the last chunk.",
    change: remembering(new Set<Job>(), (read) =>
      result("stream.take", (chunks, job) => {
        const isFirst = hasEnded(job) && chunks.length > 1 && !read.has(job);
        if (isFirst) read.add(job);
        return isFirst ? chunks.slice(0, -1) : chunks;
      }),
    ),
  }),
  fault("status/output-comes-a-read-later", ["STAT-02"], {
    describe: "The first look at a completed job shows no output yet.",
    change: remembering(new Set<Job>(), (seen) =>
      except("operations.showsOutput", (job, { operation }) => {
        const isFirst = operation === "status" && job.status === "COMPLETED" && !seen.has(job);
        if (isFirst) seen.add(job);
        return isFirst;
      }),
    ),
  }),
  fault("status/times-come-a-read-later", ["STAT-03"], {
    describe: "The first look at a finished job shows no executionTime yet.",
    change: remembering(new Set<Job>(), (seen) =>
      result("operations.executionMs", (ms, job) => {
        if (ms === undefined || seen.has(job)) return ms;
        seen.add(job);
        return undefined;
      }),
    ),
  }),
  fault("purge/answered-before-its-effect", ["PURG-02"], {
    describe: "Purged jobs are shown IN_QUEUE until they are read once.",
    change: all(onEvent("purge", "CANCELLED"), shownOnceAs("purge", "IN_QUEUE", always)),
  }),
  fault("policy/expired-job-is-taken-back", ["POLI-09"], {
    describe:
      "A job that expires in progress is TIMED_OUT, and COMPLETED when its handler is done.",
    change: all(
      onEvent("ttl-ran-out", "TIMED_OUT", is("IN_PROGRESS")),
      except("lifecycle.stopsHandler", at("ttl-ran-out")),
      onEvent("handler-returned", "COMPLETED", is("TIMED_OUT")),
    ),
  }),
  fault("retry/deleted-at-the-first-retention", ["RETR-03", "LIFE-08"], {
    describe: "A retried job is deleted when the retention of its first attempt ends.",
    change: remembering(new Map<Job, number>(), (ends) => [
      atEvent("retry", (job) => void ends.set(job, (job.finishedAtMs ?? 0) + 1_800_000)),
      instead(
        "retention.shows",
        false,
        (job, _operation, nowMs) => nowMs > (ends.get(job) ?? Infinity),
      ),
    ]),
  }),
  fault("cancel/acknowledged-before-it-is-looked-at", ["CANC-05"], {
    describe: "A completed job that is cancelled is shown as CANCELLED once.",
    change: remembering(new Set<Job>(), (asked) => [
      atEvent("cancel", (job) => void asked.add(job), is("COMPLETED")),
      inRecord({ status: "CANCELLED" }, (job) => asked.delete(job)),
    ]),
  }),
  fault("states/ends-before-its-worker-is-free", ["HLTH-05", "POLI-04"], {
    describe: "The worker of a retried job that timed out is not free again.",
    change: except("lifecycle.freesWorker", at("execution-timed-out", isRetried)),
  }),
  fault("health/work-counts-until-the-webhook-is-answered", ["HLTH-02"], {
    describe: "health counts a completed job as in progress until its webhook was answered.",
    change: duringFirstCall(always, (_isCalling, count) =>
      counting(({ inProgress }) => ({ inProgress: inProgress + count() })),
    ),
  }),
  fault("health/tells-the-counts-of-the-read-before", ["HLTH-02", "HLTH-03"], {
    describe: "health answers what it kept at the read before, and then counts anew.",
    change: remembering<{ counts?: JobCounts }>({}, (kept) =>
      counting((counts) => {
        const before = kept.counts ?? counts;
        kept.counts = counts;
        return before;
      }),
    ),
  }),
  fault("webhook/called-before-the-output-is-kept", ["STAT-02"], {
    describe: "status shows a completed job without its output until its webhook was answered.",
    change: duringFirstCall(always, (isCalling) => except("operations.showsOutput", isCalling)),
  }),
  fault("webhook/silent-while-that-of-a-failure-repeats", ["HOOK-01", "RETR-08"], {
    describe: "A job that completes while the call of its failure is to be repeated calls nobody.",
    change: trackingCallsToRepeat((isRepeating) => except("webhook.isCalledFor", isRepeating)),
  }),
  fault("webhook/failure-drops-the-chunks", ["HOOK-09", "STRM-02"], {
    describe: "The stream of a completed job is empty once a call of its webhook has failed.",
    change: whenever("webhook.acknowledges", ({ job, status }) => {
      if (status !== 200) job.chunks.length = 0;
    }),
  }),
  fault("retry/refused-while-the-webhook-repeats", ["RETR-07", "RETR-01"], {
    describe: "A failed job cannot be retried while its webhook is to be called again.",
    change: trackingCallsToRepeat((isRepeating) => refuseEvent("retry", isRepeating)),
  }),
  fault("retry/refused-once-the-webhook-was-given-up", ["RETR-07", "HOOK-09"], {
    describe: "A failed job cannot be retried once its webhook has failed for good.",
    change: afterCall(
      ({ status, attempt }) => status !== 200 && attempt === 3,
      (wasGivenUp) => refuseEvent("retry", wasGivenUp),
    ),
  }),
];

/** A change that knows the jobs whose first webhook call is under way, and how many, of those that `condition` is for. */
function duringFirstCall(
  condition: JobCondition,
  use: (isCalling: JobCondition, count: () => number) => Change,
): Change {
  return remembering(new Set<Job>(), (calling) => [
    whenever("webhook.body", (_record, job, attempt) => {
      if (attempt === 1 && condition(job)) calling.add(job);
    }),
    whenever("webhook.acknowledges", ({ job }) => void calling.delete(job)),
    use(
      (job) => calling.has(job),
      () => calling.size,
    ),
  ]);
}

/** Shows jobs as IN_PROGRESS while their first webhook call is under way. */
function shownInProgressWhileCalling(condition: JobCondition): Change {
  return duringFirstCall(condition, (isCalling) =>
    inRecord({ status: "IN_PROGRESS", output: undefined }, isCalling),
  );
}

/** Shows `status`, an earlier state, the first time status reads a job to which the event has happened. */
function shownOnceAs(
  event: Parameters<typeof at>[0],
  status: string,
  condition: JobCondition,
): Change {
  return remembering(new Set<Job>(), (stale) => [
    result("lifecycle.next", (destination, job, given) => {
      if (given === event && destination !== undefined && condition(job)) stale.add(job);
      return destination;
    }),
    inRecord(
      { status, output: undefined },
      (job, { operation }) => operation === "status" && stale.delete(job),
    ),
  ]);
}

/** A change that knows which jobs have a webhook that has failed and will be called again. */
function trackingCallsToRepeat(use: (isRepeating: JobCondition) => Change): Change {
  return remembering(new Set<Job>(), (repeating) => [
    whenever("webhook.acknowledges", ({ job, status, attempt }) => {
      if (status === 200 || attempt === 3) repeating.delete(job);
      else repeating.add(job);
    }),
    use((job) => repeating.has(job)),
  ]);
}

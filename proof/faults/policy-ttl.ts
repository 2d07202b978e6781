import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import type { JobStatus } from "../../openapi/schemas.ts";
import { inRecord } from "./builders/answers.ts";
import { fault, given, remembering } from "./builders/compose.ts";
import { at, both, is, not } from "./builders/conditions.ts";
import { atEvent, onEvent, refuseEvent } from "./builders/events.ts";
import {
  hasExecutionTimeout,
  hasWaited,
  isLowPriority,
  isRunsync,
  isUnfinished,
  hasStreamed,
  hasTtl,
} from "./builders/jobs.ts";
import { also, except, instead, result } from "./builders/member.ts";

const DAY_MS = 86_400_000;

/** Bugs in how long a job's data is kept, and in lowPriority. */
export const policyTtlFaults: readonly Fault[] = [
  fault("policy/execution-timeout-outranks-ttl", ["POLI-08"], {
    describe: "ttl does not count in the queue where the executionTimeout is longer.",
    change: except(
      "lifecycle.ttlCounts",
      ({ status, submission: { policy } }) =>
        status === "IN_QUEUE" && (policy.executionTimeout ?? 0) > (policy.ttl ?? 0),
    ),
  }),
  fault("policy/ttl-of-runsync-does-not-count-in-the-queue", ["POLI-08"], {
    describe: "A runsync job whose ttl ran out in the queue is processed when a worker is free.",
    change: except("lifecycle.ttlCounts", both(isRunsync, is("IN_QUEUE"))),
  }),
  fault("policy/ttl-a-little-short", ["POLI-08", "POLI-09"], {
    describe: "A job expires 2 ms before its ttl is over.",
    change: result("lifecycle.ttlMs", (ms) => ms - 2),
  }),
  fault("policy/ttl-of-runsync-ends-with-the-queue", ["POLI-09"], {
    describe: "ttl of a runsync job no longer counts once a worker has taken it.",
    change: except("lifecycle.ttlCounts", both(isRunsync, is("IN_PROGRESS"))),
  }),
  fault("policy/ttl-spares-a-job-that-waited", ["POLI-09"], {
    describe: "ttl counts in progress only for a job that did not wait in the queue.",
    change: except("lifecycle.ttlCounts", hasWaited),
  }),
  fault("policy/default-ttl-a-little-short", ["POLI-10"], {
    describe: "With no ttl a queued job is kept for 2 ms less than 24 hours.",
    change: instead("lifecycle.ttlMs", DAY_MS - 2, not(hasTtl)),
  }),
  fault("policy/no-default-ttl-beside-an-execution-timeout", ["POLI-10"], {
    describe: "A policy with an executionTimeout and no ttl is kept for 7 days.",
    change: instead("lifecycle.ttlMs", 7 * DAY_MS, both(not(hasTtl), hasExecutionTimeout)),
  }),
  fault("policy/ttl-of-runsync-capped-at-its-default", ["POLI-11"], {
    describe: "A runsync job's ttl above 24 hours is cut to them.",
    change: result("lifecycle.ttlMs", (ms, job) => (isRunsync(job) ? Math.min(ms, DAY_MS) : ms)),
  }),
  fault("policy/longest-ttl-is-cut", ["POLI-11"], {
    describe: "A ttl of 7 days ends after 6.",
    change: result("lifecycle.ttlMs", (ms) => Math.min(ms, 6 * DAY_MS)),
  }),
  fault("policy/ttl-of-low-priority-capped-at-its-default", ["POLI-11"], {
    describe: "A lowPriority job's ttl above 24 hours is cut to them.",
    change: result("lifecycle.ttlMs", (ms, job) =>
      isLowPriority(job) ? Math.min(ms, DAY_MS) : ms,
    ),
  }),
  fault("policy/ttl-spares-a-streaming-job", ["POLI-09"], {
    describe: "A job in progress that has yielded a chunk outlives its ttl.",
    change: refuseEvent("ttl-ran-out", both(is("IN_PROGRESS"), hasStreamed)),
  }),
  fault("policy/low-priority-adds-a-worker", ["POLI-12"], {
    describe: "A lowPriority job adds a worker as any other.",
    change: () => ({ lifecycle: { triggersScaling: () => true } }),
  }),
  fault("policy/low-priority-of-runsync-adds-a-worker", ["POLI-12"], {
    describe: "A lowPriority job from runsync adds a worker.",
    change: also("lifecycle.triggersScaling", isRunsync),
  }),
  fault("policy/low-priority-false-adds-no-worker", ["POLI-12"], {
    describe: "A job with a lowPriority of false adds no worker.",
    change: except(
      "lifecycle.triggersScaling",
      ({ submission }) => submission.policy.lowPriority === false,
    ),
  }),
  fault("policy/ttl-cuts-the-retention", ["POLI-13"], {
    describe: "A result is kept for its ttl where that is shorter than its retention.",
    change: given(({ lifecycle }) =>
      result("retention.keptMs", (keptMs, job) => Math.min(keptMs, lifecycle.ttlMs(job))),
    ),
  }),
  fault("policy/ttl-deletes-failures", ["POLI-13"], {
    describe: "A job that failed or timed out is gone when its ttl is over.",
    change: except(
      "retention.shows",
      (job, _operation, nowMs) =>
        is("FAILED", "TIMED_OUT")(job) &&
        nowMs >= job.submittedAtMs + (job.submission.policy.ttl ?? DAY_MS),
    ),
  }),
  fault("policy/expired-job-stays-in-the-queue-to-see", ["POLI-14"], {
    describe: "A job whose ttl ran out still shows the state it had.",
    change: remembering(new Map<Job, JobStatus>(), (shown) => [
      onEvent("ttl-ran-out", "FAILED", isUnfinished),
      atEvent("ttl-ran-out", (job) => void shown.set(job, job.status), isUnfinished),
      inRecord(
        (job) => ({ status: shown.get(job) }),
        (job) => shown.has(job),
      ),
    ]),
  }),
  fault("policy/low-priority-with-a-ttl-scales", ["POLI-12"], {
    describe: "A lowPriority job with a ttl of its own adds a worker.",
    change: also("lifecycle.triggersScaling", hasTtl),
  }),
  fault("policy/ttl-keeps-the-worker", ["LIFE-03"], {
    describe: "A job in progress whose ttl runs out keeps its worker for ever.",
    change: except("lifecycle.freesWorker", at("ttl-ran-out")),
  }),
];

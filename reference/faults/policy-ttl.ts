import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";
import type { JobStatus } from "../transitions.ts";
import { inRecord } from "./builders/answers.ts";
import {
  always,
  at,
  both,
  hasEnded,
  hasExecutionTimeout,
  hasWaited,
  is,
  isRunsync,
  isUnfinished,
} from "./builders/conditions.ts";
import { atEvent, onEvent } from "./builders/events.ts";
import { faultsOf } from "./builders/faults-of.ts";
import {
  all,
  also,
  except,
  given,
  remembering,
  replace,
  result,
  where,
} from "./builders/member.ts";

const DAY_MS = 86_400_000;

/** Bugs in how long a job's data is kept, and in lowPriority. */
export const policyTtlFaults: readonly Fault[] = faultsOf({
  "policy/ttl-does-not-count-in-the-queue": {
    breaks: ["POLI-08"],
    describe: "A job whose ttl ran out in the queue is processed when a worker is free.",
    change: except("lifecycle.ttlCounts", is("IN_QUEUE")),
  },
  "policy/execution-timeout-outranks-ttl": {
    breaks: ["POLI-08"],
    describe: "ttl does not count in the queue where the executionTimeout is longer.",
    change: except(
      "lifecycle.ttlCounts",
      ({ status, submission: { policy } }) =>
        status === "IN_QUEUE" && (policy.executionTimeout ?? 0) > (policy.ttl ?? 0),
    ),
  },
  "policy/expired-job-is-hidden-and-processed": {
    breaks: ["POLI-08"],
    describe: "A job that expired in the queue is unknown, but a worker still takes it.",
    change: except("lifecycle.leavesQueue", at("ttl-ran-out")),
  },
  "policy/ttl-of-runsync-does-not-count-in-the-queue": {
    breaks: ["POLI-08"],
    describe: "A runsync job whose ttl ran out in the queue is processed when a worker is free.",
    change: except("lifecycle.ttlCounts", both(isRunsync, is("IN_QUEUE"))),
  },
  "policy/ttl-a-little-short": {
    breaks: ["POLI-08"],
    describe: "A job expires 2 ms before its ttl is over.",
    change: result("lifecycle.ttlMs", (ms) => ms - 2),
  },
  "policy/ttl-ends-with-the-queue": {
    breaks: ["POLI-09"],
    describe: "ttl no longer counts once a worker has taken the job.",
    change: except("lifecycle.ttlCounts", is("IN_PROGRESS")),
  },
  "policy/ttl-of-runsync-ends-with-the-queue": {
    breaks: ["POLI-09"],
    describe: "ttl of a runsync job no longer counts once a worker has taken it.",
    change: except("lifecycle.ttlCounts", both(isRunsync, is("IN_PROGRESS"))),
  },
  "policy/ttl-spares-a-job-that-waited": {
    breaks: ["POLI-09"],
    describe: "ttl counts in progress only for a job that did not wait in the queue.",
    change: except("lifecycle.ttlCounts", hasWaited),
  },
  "policy/default-ttl-too-long": {
    breaks: ["POLI-10"],
    describe: "With no ttl a queued job is kept for 25 hours.",
    change: where("lifecycle.ttlMs", hasNoTtl, 90_000_000),
  },
  "policy/default-ttl-a-little-short": {
    breaks: ["POLI-10"],
    describe: "With no ttl a queued job is kept for 2 ms less than 24 hours.",
    change: where("lifecycle.ttlMs", hasNoTtl, DAY_MS - 2),
  },
  "policy/no-default-ttl-beside-an-execution-timeout": {
    breaks: ["POLI-10"],
    describe: "A policy with an executionTimeout and no ttl is kept for 7 days.",
    change: where("lifecycle.ttlMs", both(hasNoTtl, hasExecutionTimeout), 7 * DAY_MS),
  },
  "policy/ttl-capped-at-its-default": {
    breaks: ["POLI-11"],
    describe: "A ttl above 24 hours is cut to them.",
    change: result("lifecycle.ttlMs", (ms) => Math.min(ms, DAY_MS)),
  },
  "policy/ttl-of-runsync-capped-at-its-default": {
    breaks: ["POLI-11"],
    describe: "A runsync job's ttl above 24 hours is cut to them.",
    change: result("lifecycle.ttlMs", (ms, job) => (isRunsync(job) ? Math.min(ms, DAY_MS) : ms)),
  },
  "policy/longest-ttl-is-cut": {
    breaks: ["POLI-11"],
    describe: "A ttl of 7 days ends after 6.",
    change: result("lifecycle.ttlMs", (ms) => Math.min(ms, 6 * DAY_MS)),
  },
  "policy/low-priority-adds-a-worker": {
    breaks: ["POLI-12"],
    describe: "A lowPriority job adds a worker as any other.",
    change: () => ({ lifecycle: { triggersScaling: () => true } }),
  },
  "policy/low-priority-of-runsync-adds-a-worker": {
    breaks: ["POLI-12"],
    describe: "A lowPriority job from runsync adds a worker.",
    change: also("lifecycle.triggersScaling", isRunsync),
  },
  "policy/nothing-adds-a-worker": {
    breaks: ["POLI-12"],
    describe: "No waiting job adds a worker.",
    change: () => ({ lifecycle: { triggersScaling: () => false } }),
  },
  "policy/low-priority-false-adds-no-worker": {
    breaks: ["POLI-12"],
    describe: "A job with a lowPriority of false adds no worker.",
    change: except(
      "lifecycle.triggersScaling",
      ({ submission }) => submission.policy.lowPriority === false,
    ),
  },
  "policy/ttl-deletes-results": {
    breaks: ["POLI-13"],
    describe: "A finished job's result is gone when its ttl is over.",
    change: all(
      replace("lifecycle.ttlCounts", always),
      onEvent("ttl-ran-out", "DELETED", hasEnded),
    ),
  },
  "policy/ttl-cuts-the-retention": {
    breaks: ["POLI-13"],
    describe: "A result is kept for its ttl where that is shorter than its retention.",
    change: given(({ lifecycle }) =>
      result("retention.keptMs", (keptMs, job) => Math.min(keptMs, lifecycle.ttlMs(job))),
    ),
  },
  "policy/ttl-deletes-failures": {
    breaks: ["POLI-13"],
    describe: "A job that failed or timed out is gone when its ttl is over.",
    change: except(
      "retention.shows",
      (job, _operation, nowMs) =>
        is("FAILED", "TIMED_OUT")(job) &&
        nowMs >= job.submittedAtMs + (job.submission.policy.ttl ?? DAY_MS),
    ),
  },
  "policy/expired-job-stays-in-the-queue-to-see": {
    breaks: ["POLI-14"],
    describe: "A job whose ttl ran out still shows the state it had.",
    change: remembering(
      () => new Map<Job, JobStatus>(),
      (shown) =>
        all(
          onEvent("ttl-ran-out", "FAILED", isUnfinished),
          atEvent("ttl-ran-out", (job) => void shown.set(job, job.status), isUnfinished),
          inRecord(
            (job) => shown.has(job),
            (job) => ({ status: shown.get(job) }),
          ),
        ),
    ),
  },
  "policy/ttl-ends-a-little-early": {
    breaks: ["POLI-09"],
    describe: "A ttl that was given ends 5 ms early.",
    change: result("lifecycle.ttlMs", (ms, job) => (hasNoTtl(job) ? ms : ms - 5)),
  },
  "policy/low-priority-with-a-ttl-scales": {
    breaks: ["POLI-12"],
    describe: "A lowPriority job with a ttl of its own adds a worker.",
    change: also("lifecycle.triggersScaling", (job) => !hasNoTtl(job)),
  },
  "policy/ttl-keeps-the-worker": {
    breaks: ["LIFE-03"],
    describe: "A job in progress whose ttl runs out keeps its worker for ever.",
    change: except("lifecycle.freesWorker", at("ttl-ran-out")),
  },
});

function hasNoTtl({ submission }: Job): boolean {
  return submission.policy.ttl === undefined;
}

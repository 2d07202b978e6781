import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";
import { both, endedMs, hasEnded, hasStarted, is, isRetried } from "./builders/conditions.ts";
import { atEvent, onEvent } from "./builders/events.ts";
import { faultsOf } from "./builders/faults-of.ts";
import { except, given, remembering, result, where } from "./builders/member.ts";
import { keepLongerFor } from "./builders/retention.ts";

/** Bugs in which jobs are refused, and in what a refusal leaves as it was. */
export const retryRefusalFaults: readonly Fault[] = faultsOf({
  "retry/completed-job-runs-again": {
    breaks: ["RETR-05"],
    describe: "A COMPLETED job can be retried.",
    change: onEvent("retry", "IN_QUEUE", is("COMPLETED")),
  },
  "retry/completed-retry-runs-again": {
    breaks: ["RETR-05"],
    describe: "A job that completed after a retry can be retried.",
    change: onEvent("retry", "IN_QUEUE", both(is("COMPLETED"), isRetried)),
  },
  "retry/queued-job-counts-an-attempt": {
    breaks: ["RETR-05"],
    describe: "A job IN_QUEUE can be retried.",
    change: onEvent("retry", "IN_QUEUE", is("IN_QUEUE")),
  },
  "retry/twice-before-it-runs": {
    breaks: ["RETR-05"],
    describe: "A job that waits for its second attempt can be retried again.",
    change: onEvent("retry", "IN_QUEUE", both(is("IN_QUEUE"), isRetried)),
  },
  "retry/job-in-progress-begins-anew": {
    breaks: ["RETR-05"],
    describe: "retry of a job IN_PROGRESS stops it and puts it back into the queue.",
    change: onEvent("retry", "IN_QUEUE", is("IN_PROGRESS")),
  },
  "retry/cancelled-job-runs-again": {
    breaks: ["RETR-05"],
    describe: "A CANCELLED job can be retried.",
    change: onEvent("retry", "IN_QUEUE", is("CANCELLED")),
  },
  "retry/cancelled-in-the-queue-runs-again": {
    breaks: ["RETR-05"],
    describe: "A job that was cancelled before a worker took it can be retried.",
    change: onEvent("retry", "IN_QUEUE", (job) => job.status === "CANCELLED" && !hasStarted(job)),
  },
  "retry/refusal-is-a-success": {
    breaks: ["RETR-05"],
    describe: "A retry that is refused answers 200.",
    change: () => ({ operations: { refusedRetryStatus: 200 } }),
  },
  "retry/refusal-removes-the-output": {
    breaks: ["RETR-05"],
    describe: "A refused retry removes the output of a COMPLETED job all the same.",
    change: atEvent("retry", (job) => void (job.output = null), is("COMPLETED")),
  },
  "retry/long-after-the-retention": {
    breaks: ["RETR-06"],
    describe: "A FAILED job is kept, and can be retried, for twice its retention.",
    change: result("retention.keptMs", (keptMs, { status }) =>
      status === "FAILED" ? 2 * keptMs : keptMs,
    ),
  },
  "retry/hidden-job-after-the-retention": {
    breaks: ["RETR-06"],
    describe: "A job whose retention has expired is unknown to status but can be retried.",
    change: keepLongerFor((_job, operation) => operation === "retry"),
  },
  "retry/timed-out-job-never-expires": {
    breaks: ["RETR-06"],
    describe: "A TIMED_OUT job can be retried for a day.",
    change: where("retention.keptMs", is("TIMED_OUT"), 86_400_000),
  },
  "retry/failed-job-kept-for-a-minute": {
    breaks: ["RETR-07"],
    describe: "A FAILED job is kept, and can be retried, for a minute only.",
    change: where("retention.keptMs", is("FAILED"), 60_000),
  },
  "retry/refused-a-little-early": {
    breaks: ["RETR-07"],
    describe: "retry no longer finds a job 2 ms before its retention ends.",
    change: given(({ retention }) =>
      except(
        "retention.shows",
        (job, operation, nowMs) =>
          operation === "retry" &&
          hasEnded(job) &&
          endedMs(job, nowMs) >= retention.keptMs(job) - 2,
      ),
    ),
  },
  "retry/second-failure-has-no-retention": {
    breaks: ["RETR-07"],
    describe: "The retention of a job that failed again counts from its first failure.",
    change: remembering(
      () => new Map<Job, number>(),
      (firstAtMs) =>
        result("retention.startsAtMs", (atMs, job) => {
          const startsAtMs = firstAtMs.get(job) ?? atMs;
          firstAtMs.set(job, startsAtMs);
          return startsAtMs;
        }),
    ),
  },
  "retry/failed-runsync-job-is-kept-as-long-as-a-run-job": {
    breaks: ["RETR-06"],
    describe: "A runsync job that failed is kept, and can be retried, for 30 minutes.",
    change: where("retention.keptMs", is("FAILED"), 1_800_000),
  },
  "retry/timed-out-job-for-ten-minutes": {
    breaks: ["RETR-02"],
    describe: "A job that timed out can be retried for ten minutes only.",
    change: except(
      "retention.shows",
      (job, operation, nowMs) =>
        operation === "retry" && job.status === "TIMED_OUT" && endedMs(job, nowMs) > 600_000,
    ),
  },
});

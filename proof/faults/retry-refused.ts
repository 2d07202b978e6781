import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import { fault, given, remembering } from "./builders/compose.ts";
import { both, is } from "./builders/conditions.ts";
import { atEvent, onEvent } from "./builders/events.ts";
import {
  endedMs,
  hasEmptyList,
  hasEnded,
  isRetried,
  isRunsync,
  isCancelledInTheQueue,
} from "./builders/jobs.ts";
import { afterEvent } from "./builders/marks.ts";
import { except, instead, result, whenever } from "./builders/member.ts";
import { keepLongerFor } from "./builders/retention.ts";

/** Bugs in which jobs retry refuses, and in what a refusal has to leave as it was. */
export const retryRefusalFaults: readonly Fault[] = [
  fault("retry/completed-retry-runs-again", ["RETR-05"], {
    describe: "A job that completed after a retry can be retried.",
    change: onEvent("retry", "IN_QUEUE", both(is("COMPLETED"), isRetried)),
  }),
  fault("retry/twice-before-it-runs", ["RETR-05"], {
    describe: "A job that waits for its second attempt can be retried again.",
    change: onEvent("retry", "IN_QUEUE", both(is("IN_QUEUE"), isRetried)),
  }),
  fault("retry/job-in-progress-begins-anew", ["RETR-05"], {
    describe: "retry of a job IN_PROGRESS stops it and puts it back into the queue.",
    change: onEvent("retry", "IN_QUEUE", is("IN_PROGRESS")),
  }),
  fault("retry/cancelled-in-the-queue-runs-again", ["RETR-05"], {
    describe: "A job that was cancelled before a worker took it can be retried.",
    change: onEvent("retry", "IN_QUEUE", isCancelledInTheQueue),
  }),
  fault("retry/refusal-removes-the-output", ["RETR-05"], {
    describe: "A refused retry removes the output of a COMPLETED job all the same.",
    change: atEvent("retry", (job) => void (job.output = null), is("COMPLETED")),
  }),
  fault("retry/long-after-the-retention", ["RETR-06"], {
    describe: "A FAILED job is kept, and can be retried, for twice its retention.",
    change: result("retention.keptMs", (keptMs, { status }) =>
      status === "FAILED" ? 2 * keptMs : keptMs,
    ),
  }),
  fault("retry/hidden-job-after-the-retention", ["RETR-06", "RUNA-05"], {
    describe: "A job whose retention has expired is unknown to status but can be retried.",
    change: keepLongerFor((_job, operation) => operation === "retry"),
  }),
  fault("retry/timed-out-job-never-expires", ["RETR-06"], {
    describe: "A TIMED_OUT job can be retried for a day.",
    change: instead("retention.keptMs", 86_400_000, is("TIMED_OUT")),
  }),
  fault("retry/refused-a-little-early", ["RETR-07"], {
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
  }),
  fault("retry/second-failure-has-no-retention", ["RETR-07"], {
    describe: "The retention of a job that failed again counts from its first failure.",
    change: remembering(new Map<Job, number>(), (firstAtMs) =>
      result("retention.startsAtMs", (atMs, job) => {
        const startsAtMs = firstAtMs.get(job) ?? atMs;
        firstAtMs.set(job, startsAtMs);
        return startsAtMs;
      }),
    ),
  }),
  fault("retry/failed-runsync-job-is-kept-as-long-as-a-run-job", ["RETR-06"], {
    describe: "A runsync job that failed is kept, and can be retried, for 30 minutes.",
    change: instead("retention.keptMs", 1_800_000, is("FAILED")),
  }),
  fault("retry/timed-out-job-for-ten-minutes", ["RETR-02"], {
    describe: "A job that timed out can be retried for ten minutes only.",
    change: except(
      "retention.shows",
      (job, operation, nowMs) =>
        operation === "retry" && job.status === "TIMED_OUT" && endedMs(job, nowMs) > 600_000,
    ),
  }),
  fault("retry/cancelled-runsync-job-runs-again", ["RETR-05"], {
    describe: "A CANCELLED job of runsync can be retried.",
    change: onEvent("retry", "IN_QUEUE", both(is("CANCELLED"), isRunsync)),
  }),
  fault("retry/job-with-an-empty-output-runs-again", ["RETR-05"], {
    describe: "A COMPLETED job whose output is an empty array can be retried.",
    change: onEvent("retry", "IN_QUEUE", both(is("COMPLETED"), hasEmptyList)),
  }),
  fault("retry/refusal-lifts-the-ttl", ["RETR-05"], {
    describe: "After a refused retry a job IN_QUEUE has no ttl any more.",
    change: afterEvent("retry", is("IN_QUEUE"), (wasRefused) =>
      except("lifecycle.ttlCounts", wasRefused),
    ),
  }),
  fault("retry/refusal-starts-the-delay-anew", ["RETR-05"], {
    describe: "The delayTime of a job IN_QUEUE counts from a retry that was refused.",
    change: whenever("retention.shows", (job, operation, nowMs) => {
      if (operation === "retry" && job.status === "IN_QUEUE") job.queuedAtMs = nowMs;
    }),
  }),
];

import { decimal } from "../behaviour/submission.ts";
import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";
import { afterRead, inRecord } from "./builders/answers.ts";
import { always, hasEnded, is, isRunsync, on } from "./builders/conditions.ts";
import { Counts } from "./builders/counts.ts";
import { faultsOf } from "./builders/faults-of.ts";
import {
  all,
  also,
  except,
  given,
  remembering,
  replace,
  type Change,
  whenever,
  where,
} from "./builders/member.ts";

/** Bugs in the ttl of status, in what reading does, and in jobs that are not there. */
export const statusTtlFaults: readonly Fault[] = faultsOf({
  "status/ttl-is-ignored": {
    breaks: ["STAT-06"],
    describe: "The ttl of status is checked and then forgotten.",
    change: () => ({ operations: { ttlEndsAtMs: () => undefined } }),
  },
  "status/ttl-counts-only-in-the-queue": {
    breaks: ["STAT-06"],
    describe: "The ttl of status does not end a job in progress.",
    change: where("operations.ttlEndsAtMs", (_ttlMs, job) => job.status !== "IN_QUEUE", undefined),
  },
  "status/ttl-has-the-bounds-of-policy": {
    breaks: ["STAT-06"],
    describe: "The ttl of status is refused below 10000.",
    change: except("operations.acceptsStatusTtl", (text) => Number(text) < 10_000),
  },
  "status/ttl-may-be-zero": {
    breaks: ["STAT-07"],
    describe: "A ttl of 0 is accepted.",
    change: acceptingTtl((text) => decimal(text) === 0),
  },
  "status/ttl-may-be-negative": {
    breaks: ["STAT-07"],
    describe: "A negative ttl is accepted.",
    change: acceptingTtl((text) => Number(text) < 0),
  },
  "status/ttl-may-be-a-word": {
    breaks: ["STAT-07"],
    describe: "A ttl that is no number is ignored.",
    change: acceptingTtl((text) => Number.isNaN(Number(text))),
  },
  "status/reading-adds-to-the-delay": {
    breaks: ["STAT-08"],
    describe: "Each read of a finished job makes its delayTime a millisecond longer.",
    change: afterRead(hasEnded, (job) => void (job.queuedAtMs -= 1)),
  },
  "status/third-read-shows-progress": {
    breaks: ["STAT-08"],
    describe: "From the third read on a queued job is shown as IN_PROGRESS.",
    change: remembering(
      () => new Counts<Job>(),
      (reads) =>
        inRecord((job) => reads.add(job) > 2 && job.status === "IN_QUEUE", {
          status: "IN_PROGRESS",
        }),
    ),
  },
  "status/unknown-job-is-an-empty-success": {
    breaks: ["STAT-09"],
    describe: "status answers 200 for an unknown job.",
    change: where("operations.unknownJobStatus", on("status"), 200),
  },
  "status/unknown-job-breaks-retry": {
    breaks: ["STAT-09"],
    describe: "retry answers 500 for an unknown job.",
    change: where("operations.unknownJobStatus", on("retry"), 500),
  },
  "status/deleted-job-was-here": {
    breaks: ["STAT-10"],
    describe: "A job whose retention has ended answers 410.",
    change: remembering(
      () => new Set<string>(),
      (known) =>
        all(
          whenever("retention.shows", ({ id }) => void known.add(id)),
          where("operations.unknownJobStatus", (_operation, jobId) => known.has(jobId), 410),
        ),
    ),
  },
  "status/ttl-is-in-seconds": {
    breaks: ["STAT-06"],
    describe: "The ttl of status counts seconds.",
    change: replace("operations.ttlEndsAtMs", (ttlMs, _job, nowMs) => nowMs + 1_000 * ttlMs),
  },
  "status/ttl-ends-a-millisecond-early": {
    breaks: ["STAT-06"],
    describe: "A job read with ttl=6000 is kept for 5999 ms.",
    change: replace("operations.ttlEndsAtMs", (ttlMs, _job, nowMs) => nowMs + ttlMs - 1),
  },
  "status/ttl-ends-a-little-late": {
    breaks: ["STAT-06"],
    describe: "A job read with ttl=6000 is kept for 6002 ms.",
    change: replace("operations.ttlEndsAtMs", (ttlMs, _job, nowMs) => nowMs + ttlMs + 2),
  },
  "status/ttl-adds-to-the-age": {
    breaks: ["STAT-06"],
    describe: "The ttl of status begins as late again as the job is old.",
    change: replace(
      "operations.ttlEndsAtMs",
      (ttlMs, { submittedAtMs }, nowMs) => 2 * nowMs - submittedAtMs + ttlMs,
    ),
  },
  "status/first-ttl-counts": {
    breaks: ["STAT-06"],
    describe: "Only the first ttl given with status has an effect.",
    change: remembering(
      () => new Counts<Job>(),
      (seen) => where("operations.ttlEndsAtMs", (_ttlMs, job) => seen.add(job) > 1, undefined),
    ),
  },
  "status/ttl-makes-nothing-longer": {
    breaks: ["STAT-06"],
    describe: "A ttl given with status cannot be longer than that of the job's policy.",
    change: given(({ lifecycle }) =>
      replace("operations.ttlEndsAtMs", (ttlMs, job, nowMs) =>
        Math.min(nowMs + ttlMs, job.submittedAtMs + lifecycle.ttlMs(job)),
      ),
    ),
  },
  "status/ttl-may-be-a-fraction": {
    breaks: ["STAT-07"],
    describe: "A ttl of 6000.5 is accepted.",
    change: () => ({ operations: { acceptsStatusTtl: (text) => Number(text) >= 1 } }),
  },
  "status/ttl-may-be-empty": {
    breaks: ["STAT-07"],
    describe: "A ttl without a value is ignored.",
    change: acceptingTtl((text) => text === ""),
  },
  "status/reading-stops-the-ttl": {
    breaks: ["STAT-08"],
    describe: "The ttl of a job that was read no longer counts.",
    change: remembering(
      () => new Set<Job>(),
      (read) =>
        all(
          afterRead(always, (job) => void read.add(job)),
          except("lifecycle.ttlCounts", (job) => read.has(job)),
        ),
    ),
  },
  "status/tenth-read-takes-the-output": {
    breaks: ["STAT-08"],
    describe: "The tenth read of a result finds its output empty.",
    change: remembering(
      () => new Counts<Job>(),
      (reads) =>
        afterRead(
          (job) => hasEnded(job) && reads.add(job) >= 9,
          (job) => void (job.output = {}),
        ),
    ),
  },
  "status/reading-adds-to-stopped-work": {
    breaks: ["STAT-08"],
    describe: "Each read of a cancelled job makes its executionTime a millisecond longer.",
    change: afterRead(is("CANCELLED"), (job) => {
      if (job.startedAtMs !== undefined) job.startedAtMs -= 1;
    }),
  },
  "status/unknown-stream-is-empty": {
    breaks: ["STAT-09"],
    describe: "stream answers 200 for an unknown job.",
    change: where("operations.unknownJobStatus", on("stream"), 200),
  },
  "status/unknown-job-is-a-conflict": {
    breaks: ["STAT-09"],
    describe: "cancel answers 409 for an unknown job.",
    change: where("operations.unknownJobStatus", on("cancel"), 409),
  },
  "status/deleted-runsync-job-is-a-server-error": {
    breaks: ["STAT-10"],
    describe: "status of a runsync job that was deleted answers 500.",
    change: where(
      "operations.unknownJobStatus",
      (_operation, jobId) => jobId.startsWith("sync-"),
      500,
    ),
  },
  "status/ttl-leaves-runsync-jobs-at-work": {
    breaks: ["STAT-06"],
    describe: "A ttl given with status counts for no runsync job.",
    change: where("operations.ttlEndsAtMs", (_ttlMs, job) => isRunsync(job), undefined),
  },
});

/** Accepts a ttl that should be refused, and forgets it where its digits say nothing. */
function acceptingTtl(condition: (text: unknown) => boolean): Change {
  return all(
    also("operations.acceptsStatusTtl", condition),
    where("operations.ttlEndsAtMs", (ttlMs) => ttlMs === 0, undefined),
  );
}

import { decimal } from "../../reference/behaviour/submission.ts";
import type { Fault } from "../../reference/faults.ts";
import { afterRead, inRecord, inAnswer } from "./builders/answers.ts";
import { all, fault, given, remembering, withCounts } from "./builders/compose.ts";
import { always, is, on } from "./builders/conditions.ts";
import { hasEnded, isRunsync, endedMs } from "./builders/jobs.ts";
import { marking } from "./builders/marks.ts";
import { also, type Change, except, instead, replace, whenever } from "./builders/member.ts";

/** Bugs in the ttl of status, in what reading does, and in jobs that are not there. */
export const statusTtlFaults: readonly Fault[] = [
  fault("status/ttl-counts-only-in-the-queue", ["STAT-06"], {
    describe: "The ttl of status does not end a job in progress.",
    change: instead(
      "operations.ttlEndsAtMs",
      undefined,
      (_ttlMs, job) => job.status !== "IN_QUEUE",
    ),
  }),
  fault("status/ttl-has-the-bounds-of-policy", ["STAT-06"], {
    describe: "The ttl of status is refused below 10000.",
    change: except("operations.acceptsStatusTtl", (text) => Number(text) < 10_000),
  }),
  fault("status/ttl-may-be-zero", ["STAT-07"], {
    describe: "A ttl of 0 is accepted.",
    change: acceptingTtl((text) => decimal(text) === 0),
  }),
  fault("status/ttl-may-be-negative", ["STAT-07"], {
    describe: "A negative ttl is accepted.",
    change: acceptingTtl((text) => Number(text) < 0),
  }),
  fault("status/ttl-may-be-a-word", ["STAT-07"], {
    describe: "A ttl that is no number is ignored.",
    change: acceptingTtl((text) => Number.isNaN(Number(text))),
  }),
  fault("status/reading-adds-to-the-delay", ["STAT-08"], {
    describe: "Each read of a finished job makes its delayTime a millisecond longer.",
    change: afterRead(hasEnded, (job) => void (job.queuedAtMs -= 1)),
  }),
  fault("status/third-read-shows-progress", ["STAT-08"], {
    describe: "From the third read on a queued job is shown as IN_PROGRESS.",
    change: withCounts((reads) =>
      inRecord({ status: "IN_PROGRESS" }, (job) => reads.add(job) > 2 && job.status === "IN_QUEUE"),
    ),
  }),
  fault("status/unknown-job-is-an-empty-success", ["STAT-09"], {
    describe: "status answers 200 for an unknown job.",
    change: instead("operations.unknownJobStatus", 200, on("status")),
  }),
  fault("status/unknown-job-breaks-retry", ["STAT-09"], {
    describe: "retry answers 500 for an unknown job.",
    change: instead("operations.unknownJobStatus", 500, on("retry")),
  }),
  fault("status/deleted-job-was-here", ["STAT-10"], {
    describe: "A job whose retention has ended answers 410.",
    change: remembering(new Set<string>(), (known) => [
      whenever("retention.shows", ({ id }) => void known.add(id)),
      instead("operations.unknownJobStatus", 410, (_operation, jobId) => known.has(jobId)),
    ]),
  }),
  fault("status/ttl-ends-a-millisecond-early", ["STAT-06"], {
    describe: "A job read with ttl=6000 is kept for 5999 ms.",
    change: replace("operations.ttlEndsAtMs", (ttlMs, _job, nowMs) => nowMs + ttlMs - 1),
  }),
  fault("status/ttl-ends-a-little-late", ["STAT-06"], {
    describe: "A job read with ttl=6000 is kept for 6002 ms.",
    change: replace("operations.ttlEndsAtMs", (ttlMs, _job, nowMs) => nowMs + ttlMs + 2),
  }),
  fault("status/ttl-adds-to-the-age", ["STAT-06"], {
    describe: "The ttl of status begins as late again as the job is old.",
    change: replace(
      "operations.ttlEndsAtMs",
      (ttlMs, { submittedAtMs }, nowMs) => 2 * nowMs - submittedAtMs + ttlMs,
    ),
  }),
  fault("status/ttl-makes-nothing-longer", ["STAT-06"], {
    describe: "A ttl given with status cannot be longer than that of the job's policy.",
    change: given(({ lifecycle }) =>
      replace("operations.ttlEndsAtMs", (ttlMs, job, nowMs) =>
        Math.min(nowMs + ttlMs, job.submittedAtMs + lifecycle.ttlMs(job)),
      ),
    ),
  }),
  fault("status/ttl-may-be-a-fraction", ["STAT-07"], {
    describe: "A ttl of 6000.5 is accepted.",
    change: () => ({ operations: { acceptsStatusTtl: (text) => Number(text) >= 1 } }),
  }),
  fault("status/ttl-may-be-empty", ["STAT-07"], {
    describe: "A ttl without a value is ignored.",
    change: acceptingTtl((text) => text === ""),
  }),
  fault("status/reading-stops-the-ttl", ["STAT-08"], {
    describe: "The ttl of a job that was read no longer counts.",
    change: marking(
      (mark) => afterRead(always, mark),
      (wasRead) => except("lifecycle.ttlCounts", wasRead),
    ),
  }),
  fault("status/tenth-read-takes-the-output", ["STAT-08"], {
    describe: "The tenth read of a result finds its output empty.",
    change: withCounts((reads) =>
      afterRead(
        (job) => hasEnded(job) && reads.add(job) >= 9,
        (job) => void (job.output = {}),
      ),
    ),
  }),
  fault("status/reading-adds-to-stopped-work", ["STAT-08"], {
    describe: "Each read of a cancelled job makes its executionTime a millisecond longer.",
    change: afterRead(is("CANCELLED"), (job) => {
      if (job.startedAtMs !== undefined) job.startedAtMs -= 1;
    }),
  }),
  fault("status/unknown-stream-is-empty", ["STAT-09"], {
    describe: "stream answers 200 for an unknown job.",
    change: instead("operations.unknownJobStatus", 200, on("stream")),
  }),
  fault("status/unknown-job-is-a-conflict", ["STAT-09"], {
    describe: "cancel answers 409 for an unknown job.",
    change: instead("operations.unknownJobStatus", 409, on("cancel")),
  }),
  fault("status/deleted-runsync-job-is-a-server-error", ["STAT-10"], {
    describe: "status of a runsync job that was deleted answers 500.",
    change: instead("operations.unknownJobStatus", 500, (_operation, jobId) =>
      jobId.startsWith("sync-"),
    ),
  }),
  fault("status/ttl-leaves-runsync-jobs-at-work", ["STAT-06"], {
    describe: "A ttl given with status counts for no runsync job.",
    change: instead("operations.ttlEndsAtMs", undefined, (_ttlMs, job) => isRunsync(job)),
  }),
  fault("status/ttl-is-answered-without-a-record", ["STAT-06"], {
    describe: "status with a ttl answers that it was set, and nothing of the job.",
    change: remembering({ isSetting: false }, (memory) => [
      whenever("retention.shows", () => void (memory.isSetting = false)),
      whenever("operations.acceptsStatusTtl", () => void (memory.isSetting = true)),
      inAnswer("status", (body) => (memory.isSetting ? { success: true } : body)),
    ]),
  }),
  fault("status/deleted-runsync-job-still-streams", ["STAT-10"], {
    describe: "A runsync job that status no longer finds can be streamed for half an hour.",
    change: all(
      instead("retention.keptMs", 1_800_000, isRunsync),
      except(
        "retention.shows",
        (job, operation, nowMs) =>
          isRunsync(job) && operation !== "stream" && endedMs(job, nowMs) >= 60_000,
      ),
    ),
  }),
];

/** Accepts a ttl that should be refused, and ignores it where it is read as 0. */
function acceptingTtl(condition: (text: unknown) => boolean): Change {
  return all(
    also("operations.acceptsStatusTtl", condition),
    instead("operations.ttlEndsAtMs", undefined, (ttlMs) => ttlMs === 0),
  );
}

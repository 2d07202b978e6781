import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";
import { hasEnded, is, isRetried, isRun, on } from "./builders/conditions.ts";
import { Counts } from "./builders/counts.ts";
import { faultsOf } from "./builders/faults-of.ts";
import {
  all,
  also,
  except,
  given,
  override,
  remembering,
  replace,
  result,
  whenever,
  where,
} from "./builders/member.ts";
import { keepLongerFor } from "./builders/retention.ts";

/** Bugs in run, and in how long the result of a job is kept. */
export const runFaults: readonly Fault[] = faultsOf({
  "run/tells-the-present-state": {
    breaks: ["RUNA-01"],
    describe: "run answers COMPLETED for a job that took no time.",
    change: () => ({ operations: { runStatus: (job) => job.status } }),
  },
  "run/waits-for-the-job": {
    breaks: ["RUNA-01"],
    describe: "run answers only when its job has ended.",
    change: all(
      also("operations.waitsForJob", is("IN_PROGRESS")),
      where("operations.waitsForMs", isRun, 90_000),
    ),
  },
  "run/ten-megabytes-are-too-many": {
    breaks: ["RUNA-02"],
    describe: "run refuses a payload of exactly 10,000,000 bytes.",
    change: where("submission.payloadBytesMax", on("run"), 9_999_999),
  },
  "run/has-the-limit-of-runsync": {
    breaks: ["RUNA-02"],
    describe: "run accepts payloads up to 20 MB.",
    change: override("submission.payloadBytesMax", (bytesMax) => () => bytesMax("runsync")),
  },
  "run/large-payload-is-a-server-error": {
    breaks: ["RUNA-03"],
    describe: "A payload over the limit answers 500.",
    change: () => ({ submission: { payloadRefusalStatus: () => 500 } }),
  },
  "run/result-is-gone-early": {
    breaks: ["RUNA-04"],
    describe: "The result of a run job is deleted one millisecond before its 30 minutes are over.",
    change: where("retention.keptMs", isRun, 1_799_999),
  },
  "run/failed-jobs-are-kept-a-minute": {
    breaks: ["RUNA-04", "RETR-07"],
    describe: "A run job that failed is deleted after one minute.",
    change: where("retention.keptMs", is("FAILED"), 60_000),
  },
  "run/result-stays-too-long": {
    breaks: ["RUNA-05"],
    describe: "The result of a run job is deleted two milliseconds late.",
    change: where("retention.keptMs", isRun, 1_800_002),
  },
  "run/stream-outlives-the-result": {
    breaks: ["RUNA-05"],
    describe: "After 30 minutes status finds nothing, but stream still does.",
    change: keepLongerFor((_job, operation) => operation === "stream"),
  },
  "run/retention-counts-from-submission": {
    breaks: ["RUNA-06"],
    describe: "The 30 minutes begin with the submission.",
    change: () => ({ retention: { startsAtMs: (job) => job.submittedAtMs } }),
  },
  "run/retention-counts-from-the-start": {
    breaks: ["RUNA-06"],
    describe: "The 30 minutes begin when a worker takes the job.",
    change: () => ({ retention: { startsAtMs: (job, nowMs) => job.startedAtMs ?? nowMs } }),
  },
  "run/reading-prolongs": {
    breaks: ["RUNA-07"],
    describe: "Each status read starts the retention anew.",
    change: () => ({ retention: { isProlongedBy: (operation) => operation === "status" } }),
  },
  "run/late-reading-prolongs": {
    breaks: ["RUNA-07"],
    describe: "The second status read starts the retention anew.",
    change: remembering(
      () => new Counts<Job>(),
      (reads) =>
        also(
          "retention.isProlongedBy",
          (operation, job) => operation === "status" && reads.add(job) === 2,
        ),
    ),
  },
  "run/timed-out-jobs-are-kept-a-minute": {
    breaks: ["RUNA-04"],
    describe: "A run job that timed out is deleted after one minute.",
    change: where("retention.keptMs", is("TIMED_OUT"), 60_000),
  },
  "run/output-goes-before-the-record": {
    breaks: ["RUNA-04"],
    describe: "Half a minute before its time a result loses its output.",
    change: given(({ retention }) =>
      except(
        "operations.showsOutput",
        (job, { nowMs }) => nowMs >= (job.finishedAtMs ?? 0) + retention.keptMs(job) - 30_000,
      ),
    ),
  },
  "run/ttl-of-status-ends-a-result": {
    breaks: ["RUNA-04"],
    describe: "A ttl given with status counts for a finished job too.",
    change: remembering(
      () => new Map<Job, number>(),
      (endsAtMs) =>
        all(
          whenever("operations.ttlEndsAtMs", (ttlMs, job, nowMs) => {
            if (hasEnded(job)) endsAtMs.set(job, nowMs + ttlMs);
          }),
          except(
            "retention.shows",
            (job, _operation, nowMs) => nowMs >= (endsAtMs.get(job) ?? Infinity),
          ),
        ),
    ),
  },
  "run/failed-jobs-stay": {
    breaks: ["RUNA-05"],
    describe: "A run job that failed is never deleted.",
    change: where("retention.keptMs", is("FAILED"), 1_000_000_000),
  },
  "run/timed-out-jobs-stay": {
    breaks: ["RUNA-05"],
    describe: "A run job that timed out is never deleted.",
    change: where("retention.keptMs", is("TIMED_OUT"), 1_000_000_000),
  },
  "run/retry-outlives-the-result": {
    breaks: ["RUNA-05"],
    describe: "After 30 minutes status finds nothing, but retry brings a failed job back.",
    change: keepLongerFor((_job, operation) => operation === "retry"),
  },
  "run/late-work-is-kept-from-the-start": {
    breaks: ["RUNA-06"],
    describe: "The 30 minutes of a job that works for over a minute begin when a worker takes it.",
    change: replace("retention.startsAtMs", ({ startedAtMs = 0 }, nowMs) =>
      nowMs - startedAtMs > 60_000 ? startedAtMs : nowMs,
    ),
  },
  "run/stream-prolongs": {
    breaks: ["RUNA-07"],
    describe: "Each read of its stream starts a job's retention anew.",
    change: () => ({ retention: { isProlongedBy: (operation) => operation === "stream" } }),
  },
  "run/ttl-of-status-prolongs": {
    breaks: ["RUNA-07"],
    describe: "A finished job that was read with a ttl is kept twice as long.",
    change: remembering(
      () => new Set<Job>(),
      (read) =>
        all(
          whenever(
            "operations.ttlEndsAtMs",
            (_ttlMs, job) => void (hasEnded(job) && read.add(job)),
          ),
          keepLongerFor((job) => read.has(job)),
        ),
    ),
  },
  "run/payload-is-counted-in-characters": {
    breaks: ["RUNA-02", "SYNC-06"],
    describe: "The limits of a payload count its characters, not its bytes.",
    change: given(({ submission }) =>
      all(
        override(
          "submission.payloadBytesMax",
          (bytesMax) => (operation) => 4 * bytesMax(operation),
        ),
        whenever("submission.parse", (text, operation) => {
          if (text.length > submission.payloadBytesMax(operation)) throw new RangeError("too long");
        }),
      ),
    ),
  },
  "run/retried-result-is-gone-a-second-early": {
    breaks: ["RUNA-04"],
    describe: "The result of a retried run job is kept a second less than 30 minutes.",
    change: result("retention.keptMs", (keptMs, job) =>
      isRetried(job) && isRun(job) ? keptMs - 1_000 : keptMs,
    ),
  },
});

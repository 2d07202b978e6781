import { isJsonObject } from "../../reference/behaviour/submission.ts";
import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import { inAnswerAbout, miscounting } from "./builders/answers.ts";
import { all, fault, given, remembering, withCounts } from "./builders/compose.ts";
import { both, is, type JobCondition } from "./builders/conditions.ts";
import {
  hasEnded,
  isRetried,
  isRun,
  hasExecutionTimeout,
  isLowPriority,
  hasStorage,
  hasList,
  hasLargeOutput,
} from "./builders/jobs.ts";
import { afterTtlOfStatus } from "./builders/marks.ts";
import {
  also,
  type Change,
  except,
  instead,
  replace,
  result,
  whenever,
} from "./builders/member.ts";
import { keepLongerFor } from "./builders/retention.ts";

/** Bugs in run, and in how long the result of a job is kept. */
export const runFaults: readonly Fault[] = [
  fault("run/tells-a-failure-at-once", ["RUNA-01"], {
    describe: "run answers FAILED for a job that failed at once.",
    change: tellingTheState(is("FAILED")),
  }),
  fault("run/tells-progress-of-low-priority", ["RUNA-01"], {
    describe: "run answers IN_PROGRESS for a lowPriority job that finds a free worker.",
    change: tellingTheState(both(is("IN_PROGRESS"), isLowPriority)),
  }),
  fault("run/waits-for-the-job", ["RUNA-01"], {
    describe: "run answers only when its job has ended.",
    change: all(
      also("operations.waitsForJob", is("IN_PROGRESS")),
      instead("operations.waitsForMs", 90_000, isRun),
    ),
  }),
  fault("run/large-payload-is-a-server-error", ["RUNA-03"], {
    describe: "A payload over the limit answers 500.",
    change: () => ({ submission: { payloadRefusalStatus: () => 500 } }),
  }),
  fault("run/failed-jobs-are-kept-a-minute", ["RUNA-04", "RETR-07"], {
    describe: "A run job that failed is deleted after one minute.",
    change: instead("retention.keptMs", 60_000, is("FAILED")),
  }),
  fault("run/result-stays-too-long", ["RUNA-05"], {
    describe: "The result of a run job is deleted two milliseconds late.",
    change: instead("retention.keptMs", 1_800_002, isRun),
  }),
  fault("run/stream-outlives-the-result", ["RUNA-05"], {
    describe: "After 30 minutes status finds nothing, but stream still does.",
    change: keepLongerFor((_job, operation) => operation === "stream"),
  }),
  fault("run/retention-counts-from-submission", ["RUNA-06"], {
    describe: "The 30 minutes begin with the submission.",
    change: () => ({ retention: { startsAtMs: (job) => job.submittedAtMs } }),
  }),
  fault("run/late-reading-prolongs", ["RUNA-07"], {
    describe: "The second status read starts the retention anew.",
    change: withCounts((reads) =>
      also(
        "retention.isProlongedBy",
        (operation, job) => operation === "status" && reads.add(job) === 2,
      ),
    ),
  }),
  fault("run/timed-out-jobs-are-kept-a-minute", ["RUNA-04"], {
    describe: "A run job that timed out is deleted after one minute.",
    change: instead("retention.keptMs", 60_000, is("TIMED_OUT")),
  }),
  fault("run/output-goes-before-the-record", ["RUNA-04"], {
    describe: "Half a minute before its time a result loses its output.",
    change: given(({ retention }) =>
      except(
        "operations.showsOutput",
        (job, { nowMs }) => nowMs >= (job.finishedAtMs ?? 0) + retention.keptMs(job) - 30_000,
      ),
    ),
  }),
  fault("run/ttl-of-status-ends-a-failure", ["RUNA-04"], {
    describe: "A ttl given with status counts for a job that has failed.",
    change: heedingTtlOf(is("FAILED")),
  }),
  fault("run/failed-jobs-stay", ["RUNA-05"], {
    describe: "A run job that failed is never deleted.",
    change: instead("retention.keptMs", 1_000_000_000, is("FAILED")),
  }),
  fault("run/timed-out-jobs-stay", ["RUNA-05"], {
    describe: "A run job that timed out is never deleted.",
    change: instead("retention.keptMs", 1_000_000_000, is("TIMED_OUT")),
  }),
  fault("run/late-work-is-kept-from-the-start", ["RUNA-06"], {
    describe: "The 30 minutes of a job that works for over a minute begin when a worker takes it.",
    change: replace("retention.startsAtMs", ({ startedAtMs = 0 }, nowMs) =>
      nowMs - startedAtMs > 60_000 ? startedAtMs : nowMs,
    ),
  }),
  fault("run/ttl-of-status-prolongs", ["RUNA-07"], {
    describe: "A finished job that was read with a ttl is kept twice as long.",
    change: afterTtlOfStatus(hasEnded, keepLongerFor),
  }),
  fault("run/payload-is-counted-in-characters", ["RUNA-02", "SYNC-06"], {
    describe: "The limits of a payload count its characters, not its bytes.",
    change: limitingBy((text) => text.length),
  }),
  fault("run/payload-is-counted-without-white-space", ["RUNA-02", "SYNC-06"], {
    describe: "The limits of a payload count its JSON without white space.",
    change: limitingBy((_text, body) => bytesOf(body)),
  }),
  fault("run/payload-is-counted-by-its-input", ["RUNA-02", "SYNC-06"], {
    describe: "The limits of a payload count its input alone.",
    change: limitingBy((_text, body) => (isJsonObject(body) ? bytesOf(body["input"]) : 0)),
  }),
  fault("run/large-payload-is-never-processed", ["RUNA-02"], {
    describe: "A job of run with a payload of more than 8 MB is accepted and stays in the queue.",
    change: except("lifecycle.entersQueue", both(isRun, hasMoreThan(8_000_000))),
  }),
  fault("run/large-payload-of-runsync-is-lost", ["SYNC-06"], {
    describe: "A worker is given an empty input in place of one of more than 16 MB.",
    change: instead("lifecycle.handlerInput", {}, hasMoreThan(16_000_000)),
  }),
  fault("run/large-result-is-not-kept", ["STAT-02"], {
    describe: "An output of more than 4 MB is not kept.",
    change: result("lifecycle.keptOutput", (output) =>
      bytesOf(output) > 4_194_304 ? undefined : output,
    ),
  }),
  fault("run/retried-result-is-gone-a-second-early", ["RUNA-04"], {
    describe: "The result of a retried run job is kept a second less than 30 minutes.",
    change: result("retention.keptMs", (keptMs, job) =>
      isRetried(job) && isRun(job) ? keptMs - 1_000 : keptMs,
    ),
  }),
  fault("run/with-a-policy-answers-no-status", ["RUNA-01"], {
    describe: "run answers a submission with an executionTimeout with the id alone.",
    change: inAnswerAbout("run", hasExecutionTimeout, ({ id }) => ({ id })),
  }),
  fault("run/low-priority-has-a-state-of-its-own", ["RUNA-01"], {
    describe: "run answers a lowPriority submission with the status PENDING.",
    change: inAnswerAbout("run", isLowPriority, { status: "PENDING" }),
  }),
  fault("run/with-storage-tells-its-id-by-another-name", ["RUNA-01"], {
    describe: "run answers a submission with an s3Config with jobId in place of id.",
    change: inAnswerAbout("run", hasStorage, ({ id, status }) => ({ jobId: id, status })),
  }),
  fault("run/refused-payload-waits", ["RUNA-02"], {
    describe: "inQueue counts a submission that was refused for its size.",
    change: miscounting("inQueue", 1, (count) =>
      whenever("submission.payloadRefusalStatus", count),
    ),
  }),
  fault("run/lists-are-kept-for-ten-minutes", ["RUNA-04"], {
    describe: "A result that is an array is deleted after ten minutes.",
    change: instead("retention.keptMs", 600_000, both(isRun, hasList)),
  }),
  fault("run/large-results-are-kept-a-minute", ["RUNA-04"], {
    describe: "A result of more than a megabyte is deleted after one minute.",
    change: instead("retention.keptMs", 60_000, both(isRun, hasLargeOutput)),
  }),
  fault("run/finished-job-refuses-a-ttl", ["RUNA-04"], {
    describe: "status with a ttl answers 400 of a job that has ended.",
    change: remembering<{ found?: Job }>({}, (memory) => [
      whenever("retention.shows", (job) => void (memory.found = job)),
      except(
        "operations.acceptsStatusTtl",
        () => memory.found !== undefined && hasEnded(memory.found),
      ),
    ]),
  }),
];

/** Lets run answer with the state that a job has by then, where `condition` holds of it. */
function tellingTheState(condition: JobCondition): Change {
  return inAnswerAbout("run", condition, (body, { status }) => ({ ...body, status }));
}

/** Lets a ttl given with status end jobs for which `condition` holds as it is given. */
function heedingTtlOf(condition: JobCondition): Change {
  return remembering(new Map<Job, number>(), (endsAtMs) => [
    whenever("operations.ttlEndsAtMs", (ttlMs, job, nowMs) => {
      if (condition(job)) endsAtMs.set(job, nowMs + ttlMs);
    }),
    except("retention.shows", (job, _operation, nowMs) => nowMs >= (endsAtMs.get(job) ?? Infinity)),
  ]);
}

/** Refuses payloads of more than the limit as `lengthOf` counts them. */
function limitingBy(lengthOf: (text: string, body: unknown) => number): Change {
  return given(({ submission }) =>
    all(
      result("submission.payloadBytesMax", (bytesMax) => 4 * bytesMax),
      whenever("submission.parse", (text, operation) => {
        const bytesMax = submission.payloadBytesMax(operation, false);
        const body = submission.parse(text, operation);
        if (lengthOf(text, body) > bytesMax) throw new RangeError("too long");
      }),
    ),
  );
}

/** How many bytes a value has as JSON; 0 where there is none. */
function bytesOf(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
}

/** Holds for jobs whose input has more bytes. */
function hasMoreThan(bytes: number): JobCondition {
  return ({ submission }) => bytesOf(submission.input) > bytes;
}

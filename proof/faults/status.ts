import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import type { JobStatus } from "../../openapi/schemas.ts";
import { afterRead, inAnswerAbout, inRecord, inTime } from "./builders/answers.ts";
import { all, fault, withCounts } from "./builders/compose.ts";
import { both, is, type JobCondition } from "./builders/conditions.ts";
import {
  hasStarted,
  isRun,
  isRunsync,
  hasWaited,
  hasEmptyList,
  hasStreamed,
  hasLargeOutput,
  isCancelledInTheQueue,
} from "./builders/jobs.ts";
import { type Change, except, instead, result } from "./builders/member.ts";

/** Bugs in what status answers. */
export const statusFaults: readonly Fault[] = [
  fault("status/tells-another-id", ["STAT-01"], {
    describe: "status drops the prefix of a runsync job's id.",
    change: inRecord(
      ({ id }) => ({ id: id.replace("sync-", "") }),
      (_job, { operation }) => operation === "status",
    ),
  }),
  fault("status/failed-job-has-output", ["STAT-02"], {
    describe: "A failed job shows its error as its output too.",
    change: inRecord({ output: { error: "failed" } }, is("FAILED")),
  }),
  fault("status/failed-job-has-no-times", ["STAT-03"], {
    describe: "A failed job has no executionTime.",
    change: instead("operations.executionMs", undefined, is("FAILED")),
  }),
  fault("status/delay-is-a-fraction", ["STAT-03"], {
    describe: "delayTime is no integer.",
    change: inTime("operations.delayMs", (ms) => ms + 0.25),
  }),
  fault("status/delay-is-negative", ["STAT-03"], {
    describe: "delayTime of a job that did not wait is -1.",
    change: inTime("operations.delayMs", (ms) => (ms === 0 ? -1 : ms)),
  }),
  fault("status/times-are-microseconds", ["STAT-04"], {
    describe: "delayTime and executionTime are microseconds.",
    change: all(
      inTime("operations.delayMs", (ms) => 1_000 * ms),
      inTime("operations.executionMs", (ms) => 1_000 * ms),
    ),
  }),
  fault("status/delay-includes-the-work", ["STAT-05"], {
    describe: "delayTime counts up to the end of the job.",
    change: result("operations.delayMs", (ms, { finishedAtMs, queuedAtMs }) =>
      finishedAtMs === undefined ? ms : finishedAtMs - queuedAtMs,
    ),
  }),
  fault("status/job-in-progress-shows-its-chunks", ["STAT-02"], {
    describe: "The output of a job in progress is what it has yielded so far.",
    change: showingChunks(is("IN_PROGRESS")),
  }),
  fault("status/timed-out-job-shows-its-chunks", ["STAT-02"], {
    describe: "The output of a job that timed out is what it had yielded.",
    change: showingChunks(is("TIMED_OUT")),
  }),
  fault("status/cancelled-job-shows-its-chunks", ["STAT-02", "CANC-04"], {
    describe: "The output of a cancelled job is what it had yielded.",
    change: showingChunks(is("CANCELLED")),
  }),
  fault("status/empty-output-is-missing", ["STAT-02"], {
    describe: "An empty array is not shown as output.",
    change: except("operations.showsOutput", hasEmptyList),
  }),
  fault("status/timed-out-job-has-no-times", ["STAT-03"], {
    describe: "A job that timed out has no executionTime.",
    change: instead("operations.executionMs", undefined, both(is("TIMED_OUT"), hasStarted)),
  }),
  fault("status/cancelled-job-has-a-negative-time", ["STAT-03"], {
    describe: "executionTime of a job that was cancelled in progress is -1.",
    change: instead("operations.executionMs", -1, both(is("CANCELLED"), hasStarted)),
  }),
  fault("status/leaves-out-a-delay-of-zero", ["STAT-03"], {
    describe: "delayTime is missing where the job did not wait.",
    change: inTime("operations.delayMs", (ms) => (ms === 0 ? undefined : ms)),
  }),
  fault("status/times-have-two-units", ["STAT-04"], {
    describe: "delayTime is in milliseconds, executionTime in seconds.",
    change: inTime("operations.executionMs", (ms) => Math.round(ms / 1_000)),
  }),
  fault("status/times-are-exchanged", ["STAT-05"], {
    describe: "delayTime and executionTime stand in each other's place.",
    change: ({ operations: { delayMs, executionMs } }) => ({
      operations: { delayMs: executionMs, executionMs: delayMs },
    }),
  }),
  fault("status/failed-job-worked-in-the-queue", ["STAT-05"], {
    describe: "executionTime of a failed job counts from the submission.",
    change: inTime("operations.executionMs", (ms, job) =>
      job.status === "FAILED" ? workedSince(job.submittedAtMs, job) : ms,
    ),
  }),
  fault("status/timed-out-job-has-not-worked", ["STAT-05"], {
    describe: "executionTime of a job that timed out is 0.",
    change: instead("operations.executionMs", 0, is("TIMED_OUT")),
  }),
  fault("status/completed-run-job-has-another-id", ["STAT-01"], {
    describe: "status of a completed run job answers with an id that lacks its last character.",
    change: inAnswerAbout("status", both(is("COMPLETED"), isRun), (body, { id }) => ({
      ...body,
      id: id.slice(0, -1),
    })),
  }),
  fault("status/reading-at-work-wears-the-output-out", ["STAT-08"], {
    describe:
      "A job that was read three times while it was in progress completes without its value.",
    change: withCounts((reads) => [
      afterRead(is("IN_PROGRESS"), (job) => void reads.add(job)),
      instead("lifecycle.keptOutput", {}, (_output, job) => reads.of(job) >= 3),
    ]),
  }),
  fault("status/runsync-job-worked-in-the-queue", ["STAT-05"], {
    describe: "executionTime of a runsync job counts from its submission.",
    change: inTime("operations.executionMs", (ms, job) =>
      isRunsync(job) ? workedSince(job.queuedAtMs, job) : ms,
    ),
  }),
  fault("status/retried-job-waited-since-its-submission", ["STAT-05"], {
    describe: "delayTime of a retried job counts from its submission.",
    change: inTime("operations.delayMs", (ms, { startedAtMs, submittedAtMs }) =>
      startedAtMs === undefined ? ms : startedAtMs - submittedAtMs,
    ),
  }),
  fault("status/failed-job-goes-on-waiting", ["STAT-08"], {
    describe: "delayTime of a failed job grows with time.",
    change: result("operations.delayMs", (ms, job, nowMs) =>
      job.status === "FAILED" ? nowMs - job.queuedAtMs : ms,
    ),
  }),
  fault("status/runsync-job-at-work-has-null-for-output", ["STAT-02"], {
    describe: "The record of a runsync job in progress has an output of null.",
    change: inRecord({ output: null }, both(isRunsync, is("IN_PROGRESS"))),
  }),
  fault("status/cancelled-job-worked-in-the-queue", ["STAT-05"], {
    describe: "executionTime of a job that was cancelled in the queue is the time it waited.",
    change: inTime("operations.executionMs", (ms, job) =>
      isCancelledInTheQueue(job) ? workedSince(job.queuedAtMs, job) : ms,
    ),
  }),
  fault("status/cancelled-job-waited-at-work", ["STAT-05"], {
    describe: "delayTime of a job that was cancelled at work ends with the cancel.",
    change: inTime("operations.delayMs", (ms, job) =>
      job.status === "CANCELLED" ? workedSince(job.queuedAtMs, job) : ms,
    ),
  }),
  fault("status/cancelled-work-took-no-time", ["STAT-05"], {
    describe: "executionTime of a job that was cancelled at work is 0.",
    change: instead("operations.executionMs", 0, is("CANCELLED")),
  }),
  misspelt("CANCELLED", "CANCELED"),
  misspelt("TIMED_OUT", "TIMEOUT"),
  misspelt("IN_QUEUE", "QUEUED"),
  misspelt("FAILED", "ERROR"),
  fault("status/large-output-is-missing", ["STAT-02"], {
    describe: "An output of more than a megabyte is not kept.",
    change: except("operations.showsOutput", hasLargeOutput),
  }),
  fault("status/long-unknown-id-is-a-server-error", ["STAT-09"], {
    describe: "An unknown job id of more than 255 characters does not fit into the query.",
    change: instead("operations.unknownJobStatus", 500, (_operation, id) => id.length > 255),
  }),
  fault("status/unknown-id-beyond-ascii-is-a-server-error", ["STAT-09"], {
    describe: "An unknown job id with a character beyond ASCII answers 500.",
    change: instead("operations.unknownJobStatus", 500, (_operation, id) =>
      /[^\u0020-\u007E]/.test(id),
    ),
  }),
  fault("status/unknown-id-with-a-quote-is-a-server-error", ["STAT-09"], {
    describe: "A quote in an unknown job id ends a string in the query.",
    change: instead("operations.unknownJobStatus", 500, (_operation, id) => id.includes("'")),
  }),
  fault("status/unknown-id-of-digits-is-a-server-error", ["STAT-09"], {
    describe: "An unknown job id of digits alone is made an integer, for which it is too long.",
    change: instead("operations.unknownJobStatus", 500, (_operation, id) => /^\d{20,}$/.test(id)),
  }),
  fault("status/name-of-every-object-is-a-server-error", ["STAT-09"], {
    describe: "An unknown job id such as constructor is found among what every object has.",
    change: instead("operations.unknownJobStatus", 500, (_operation, id) => id in {}),
  }),
  fault("status/delay-grows-at-work", ["STAT-05"], {
    describe: "delayTime of a job in progress counts up to the present.",
    change: result("operations.delayMs", (ms, { status, queuedAtMs }, nowMs) =>
      status === "IN_PROGRESS" ? nowMs - queuedAtMs : ms,
    ),
  }),
  fault("status/execution-grows-in-the-queue", ["STAT-05"], {
    describe:
      "A job in the queue is shown with an executionTime, which counts from its submission.",
    change: result("operations.executionMs", (ms, { status, queuedAtMs }, nowMs) =>
      status === "IN_QUEUE" ? nowMs - queuedAtMs : ms,
    ),
  }),
  fault("status/execution-ends-with-the-wait", ["STAT-05"], {
    describe:
      "executionTime of a runsync job that works beyond its wait counts up to the end of that.",
    change: inTime("operations.executionMs", (ms, job) =>
      isRunsync(job) && !hasWaited(job) ? Math.min(ms, job.waitMs) : ms,
    ),
  }),
];

function misspelt(state: JobStatus, word: string): Fault {
  return {
    name: `status/says-${word.toLowerCase()}`,
    breaks: ["STAT-01"],
    describe: `A job that is ${state} is shown as ${word}.`,
    change: inRecord({ status: word }, is(state)),
  };
}

function workedSince(startMs: number, { finishedAtMs }: Job): number | undefined {
  return finishedAtMs === undefined ? undefined : finishedAtMs - startMs;
}

/** Shows the chunks of a job so far as its output. */
function showingChunks(condition: JobCondition): Change {
  return inRecord(({ chunks }) => ({ output: chunks }), both(condition, hasStreamed));
}

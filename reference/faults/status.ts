import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";
import type { JobStatus } from "../transitions.ts";
import { afterRead, inAnswerAbout, inRecord } from "./builders/answers.ts";
import {
  both,
  hasStarted,
  is,
  isRun,
  isRunsync,
  isUnfinished,
  type JobCondition,
} from "./builders/conditions.ts";
import { Counts } from "./builders/counts.ts";
import { faultsOf } from "./builders/faults-of.ts";
import { all, except, remembering, result, type Change, where } from "./builders/member.ts";

/** Bugs in what status answers. */
export const statusFaults: readonly Fault[] = [
  ...faultsOf({
    "status/has-a-state-of-its-own": {
      breaks: ["STAT-01"],
      describe: "A job in progress is shown as RUNNING.",
      change: inRecord(is("IN_PROGRESS"), { status: "RUNNING" }),
    },
    "status/tells-another-id": {
      breaks: ["STAT-01"],
      describe: "status drops the prefix of a runsync job's id.",
      change: inRecord(
        (_job, { operation }) => operation === "status",
        ({ id }) => ({ id: id.replace("sync-", "") }),
      ),
    },
    "status/unfinished-job-has-null-output": {
      breaks: ["STAT-02"],
      describe: "status has an output of null before the job has completed.",
      change: inRecord(isUnfinished, { output: null }),
    },
    "status/failed-job-has-output": {
      breaks: ["STAT-02"],
      describe: "A failed job shows its error as its output too.",
      change: inRecord(is("FAILED"), { output: { error: "failed" } }),
    },
    "status/array-output-is-missing": {
      breaks: ["STAT-02"],
      describe: "An output that is an array is not shown.",
      change: except("operations.showsOutput", ({ output }) => Array.isArray(output)),
    },
    "status/failed-job-has-no-times": {
      breaks: ["STAT-03"],
      describe: "A failed job has no executionTime.",
      change: where("operations.executionMs", is("FAILED"), undefined),
    },
    "status/delay-is-a-fraction": {
      breaks: ["STAT-03"],
      describe: "delayTime is no integer.",
      change: inTime("operations.delayMs", (ms) => ms + 0.25),
    },
    "status/delay-is-negative": {
      breaks: ["STAT-03"],
      describe: "delayTime of a job that did not wait is -1.",
      change: inTime("operations.delayMs", (ms) => (ms === 0 ? -1 : ms)),
    },
    "status/times-are-microseconds": {
      breaks: ["STAT-04"],
      describe: "delayTime and executionTime are microseconds.",
      change: all(
        inTime("operations.delayMs", (ms) => 1_000 * ms),
        inTime("operations.executionMs", (ms) => 1_000 * ms),
      ),
    },
    "status/delay-includes-the-work": {
      breaks: ["STAT-05"],
      describe: "delayTime counts up to the end of the job.",
      change: result("operations.delayMs", (ms, { finishedAtMs, queuedAtMs }) =>
        finishedAtMs === undefined ? ms : finishedAtMs - queuedAtMs,
      ),
    },
    "status/execution-includes-the-queue": {
      breaks: ["STAT-05"],
      describe: "executionTime counts from the submission.",
      change: inTime(
        "operations.executionMs",
        (ms, job) => workedSince(job.submittedAtMs, job) ?? ms,
      ),
    },
    "status/job-in-progress-shows-its-chunks": {
      breaks: ["STAT-02"],
      describe: "The output of a job in progress is what it has yielded so far.",
      change: showingChunks(is("IN_PROGRESS")),
    },
    "status/timed-out-job-shows-its-chunks": {
      breaks: ["STAT-02"],
      describe: "The output of a job that timed out is what it had yielded.",
      change: showingChunks(is("TIMED_OUT")),
    },
    "status/cancelled-job-shows-its-chunks": {
      breaks: ["STAT-02"],
      describe: "The output of a cancelled job is what it had yielded.",
      change: showingChunks(is("CANCELLED")),
    },
    "status/empty-output-is-missing": {
      breaks: ["STAT-02"],
      describe: "An empty array is not shown as output.",
      change: except(
        "operations.showsOutput",
        ({ output }) => Array.isArray(output) && output.length === 0,
      ),
    },
    "status/timed-out-job-has-no-times": {
      breaks: ["STAT-03"],
      describe: "A job that timed out has no executionTime.",
      change: where("operations.executionMs", both(is("TIMED_OUT"), hasStarted), undefined),
    },
    "status/cancelled-job-has-a-negative-time": {
      breaks: ["STAT-03"],
      describe: "executionTime of a job that was cancelled in progress is -1.",
      change: where("operations.executionMs", both(is("CANCELLED"), hasStarted), -1),
    },
    "status/leaves-out-a-delay-of-zero": {
      breaks: ["STAT-03"],
      describe: "delayTime is missing where the job did not wait.",
      change: inTime("operations.delayMs", (ms) => (ms === 0 ? undefined : ms)),
    },
    "status/times-have-two-units": {
      breaks: ["STAT-04"],
      describe: "delayTime is in milliseconds, executionTime in seconds.",
      change: inTime("operations.executionMs", (ms) => Math.round(ms / 1_000)),
    },
    "status/times-are-exchanged": {
      breaks: ["STAT-05"],
      describe: "delayTime and executionTime stand in each other's place.",
      change: ({ operations: { delayMs, executionMs } }) => ({
        operations: { delayMs: executionMs, executionMs: delayMs },
      }),
    },
    "status/failed-job-worked-in-the-queue": {
      breaks: ["STAT-05"],
      describe: "executionTime of a failed job counts from the submission.",
      change: inTime("operations.executionMs", (ms, job) =>
        job.status === "FAILED" ? workedSince(job.submittedAtMs, job) : ms,
      ),
    },
    "status/timed-out-job-has-not-worked": {
      breaks: ["STAT-05"],
      describe: "executionTime of a job that timed out is 0.",
      change: where("operations.executionMs", is("TIMED_OUT"), 0),
    },
    "status/completed-run-job-has-another-id": {
      breaks: ["STAT-01"],
      describe: "status of a completed run job answers with an id that lacks its last character.",
      change: inAnswerAbout("status", both(is("COMPLETED"), isRun), (body, { id }) => ({
        ...body,
        id: id.slice(0, -1),
      })),
    },
    "status/reading-at-work-wears-the-output-out": {
      breaks: ["STAT-08"],
      describe:
        "A job that was read three times while it was in progress completes without its value.",
      change: remembering(
        () => new Counts<Job>(),
        (reads) =>
          all(
            afterRead(is("IN_PROGRESS"), (job) => void reads.add(job)),
            where("lifecycle.keptOutput", (_output, job) => reads.of(job) >= 3, {}),
          ),
      ),
    },
    "status/runsync-job-worked-in-the-queue": {
      breaks: ["STAT-05"],
      describe: "executionTime of a runsync job counts from its submission.",
      change: inTime("operations.executionMs", (ms, job) =>
        isRunsync(job) ? workedSince(job.queuedAtMs, job) : ms,
      ),
    },
    "status/retried-job-waited-since-its-submission": {
      breaks: ["STAT-05"],
      describe: "delayTime of a retried job counts from its submission.",
      change: inTime("operations.delayMs", (ms, { startedAtMs, submittedAtMs }) =>
        startedAtMs === undefined ? ms : startedAtMs - submittedAtMs,
      ),
    },
    "status/failed-job-goes-on-waiting": {
      breaks: ["STAT-08"],
      describe: "delayTime of a failed job grows with time.",
      change: result("operations.delayMs", (ms, job, nowMs) =>
        job.status === "FAILED" ? nowMs - job.queuedAtMs : ms,
      ),
    },
    "status/runsync-job-at-work-has-null-for-output": {
      breaks: ["STAT-02"],
      describe: "The record of a runsync job in progress has an output of null.",
      change: inRecord(both(isRunsync, is("IN_PROGRESS")), { output: null }),
    },
  }),
  misspelt("CANCELLED", "CANCELED"),
  misspelt("TIMED_OUT", "TIMEOUT"),
  misspelt("IN_QUEUE", "QUEUED"),
  misspelt("FAILED", "ERROR"),
];

function misspelt(state: JobStatus, word: string): Fault {
  return {
    name: `status/says-${word.toLowerCase()}`,
    breaks: ["STAT-01"],
    describe: `A job that is ${state} is shown as ${word}.`,
    change: inRecord(is(state), { status: word }),
  };
}

/** Changes one of the times of a job, where it has one. */
function inTime(
  member: "operations.delayMs" | "operations.executionMs",
  change: (ms: number, job: Job) => number | undefined,
): Change {
  const changed = (ms: number | undefined, job: Job): number | undefined =>
    ms === undefined ? undefined : change(ms, job);
  return member === "operations.delayMs" ? result(member, changed) : result(member, changed);
}

function workedSince(startMs: number, { finishedAtMs }: Job): number | undefined {
  return finishedAtMs === undefined ? undefined : finishedAtMs - startMs;
}

/** Shows as output what a job has yielded. */
function showingChunks(condition: JobCondition): Change {
  return inRecord(
    (job) => condition(job) && job.chunks.length > 0,
    ({ chunks }) => ({ output: chunks }),
  );
}

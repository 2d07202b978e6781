import type { Fault } from "../fault.ts";
import { tell, type Job } from "../job.ts";
import { inAnswer, inAnswerAbout, inRecord } from "./builders/answers.ts";
import {
  both,
  hasEnded,
  is,
  isRetried,
  isRunsync,
  isUnfinished,
  on,
} from "./builders/conditions.ts";
import { Counts } from "./builders/counts.ts";
import { faultsOf } from "./builders/faults-of.ts";
import {
  also,
  except,
  override,
  remembering,
  replace,
  result,
  whenever,
  where,
} from "./builders/member.ts";

/** Bugs in runsync: its answer, its wait, and how long its result is kept. */
export const runsyncFaults: readonly Fault[] = faultsOf({
  "runsync/has-no-output": {
    breaks: ["SYNC-01"],
    describe: "runsync answers a completed job without its output.",
    change: except("operations.showsOutput", (_job, { operation }) => operation === "runsync"),
  },
  "runsync/has-no-execution-time": {
    breaks: ["SYNC-01"],
    describe: "runsync answers a completed job without executionTime.",
    change: inAnswer("runsync", ({ executionTime: _left, ...rest }) => rest),
  },
  "runsync/waits-a-second-at-most": {
    breaks: ["SYNC-02"],
    describe: "runsync gives a job no more than a second, whatever the wait.",
    change: () => ({ operations: { waitsForMs: (job) => Math.min(job.waitMs, 1_000) } }),
  },
  "runsync/wait-is-capped": {
    breaks: ["SYNC-02"],
    describe: "runsync waits 90 seconds at most, also where wait is longer.",
    change: () => ({ operations: { waitsForMs: (job) => Math.min(job.waitMs, 90_000) } }),
  },
  "runsync/shortest-wait-is-refused": {
    breaks: ["SYNC-03"],
    describe: "A wait of 1000 is refused.",
    change: except("submission.acceptsWait", (text) => text === "1000"),
  },
  "runsync/wait-is-a-little-too-long": {
    breaks: ["SYNC-03"],
    describe: "A wait of 300001 is accepted.",
    change: also("submission.acceptsWait", (text) => text === "300001"),
  },
  "runsync/wait-may-be-a-fraction": {
    breaks: ["SYNC-03"],
    describe: "A wait of 1500.5 is accepted.",
    change: also(
      "submission.acceptsWait",
      (text) => Number(text) >= 1_000 && Number(text) <= 300_000,
    ),
  },
  "runsync/wrong-wait-is-the-default": {
    breaks: ["SYNC-03"],
    describe: "A wait that is no number is ignored.",
    change: also("submission.acceptsWait", (text) => Number.isNaN(Number(text))),
  },
  "runsync/end-of-wait-cancels": {
    breaks: ["SYNC-04"],
    describe: "When the wait is over the job is cancelled.",
    change: () => ({ operations: { waitOverEvent: () => "cancel" } }),
  },
  "runsync/end-of-wait-tells-no-id": {
    breaks: ["SYNC-04"],
    describe: "When the wait is over the answer has no id.",
    change: inAnswerAbout("runsync", isUnfinished, ({ status }) => ({ status })),
  },
  "runsync/default-wait-is-a-minute": {
    breaks: ["SYNC-05"],
    describe: "Without wait runsync waits 60 seconds.",
    change: () => ({ submission: { waitMs: (givenMs) => givenMs ?? 60_000 } }),
  },
  "runsync/default-wait-is-too-long": {
    breaks: ["SYNC-05"],
    describe: "Without wait runsync waits 100 seconds.",
    change: () => ({ submission: { waitMs: (givenMs) => givenMs ?? 100_000 } }),
  },
  "runsync/has-the-limit-of-run": {
    breaks: ["SYNC-06"],
    describe: "runsync refuses payloads over 10 MB.",
    change: override("submission.payloadBytesMax", (bytesMax) => () => bytesMax("run")),
  },
  "runsync/takes-any-payload": {
    breaks: ["SYNC-06"],
    describe: "runsync has no limit for its payload.",
    change: where("submission.payloadBytesMax", on("runsync"), 104_857_600),
  },
  "runsync/result-is-gone-early": {
    breaks: ["SYNC-07"],
    describe: "The result of a runsync job is deleted one millisecond before its minute is over.",
    change: where("retention.keptMs", isRunsync, 59_999),
  },
  "runsync/result-stays-as-long-as-that-of-run": {
    breaks: ["SYNC-08"],
    describe: "The result of a runsync job is kept for 30 minutes.",
    change: () => ({ retention: { keptMs: () => 1_800_000 } }),
  },
  "runsync/wait-prolongs-the-result": {
    breaks: ["SYNC-09"],
    describe: "With a wait above the default the result is kept for as long as the wait.",
    change: result("retention.keptMs", (keptMs, job) =>
      isRunsync(job) && job.waitMs > 90_000 ? job.waitMs : keptMs,
    ),
  },
  "runsync/failed-job-is-a-bad-request": {
    breaks: ["SYNC-10"],
    describe: "runsync answers 400 where its job failed.",
    change: () => ({ operations: { failedRunsyncStatus: () => 400 } }),
  },
  "runsync/queue-is-not-shown": {
    breaks: ["SYNC-11"],
    describe: "A runsync job that waits for a worker is shown as IN_PROGRESS.",
    change: inRecord(both(isRunsync, is("IN_QUEUE")), { status: "IN_PROGRESS" }),
  },
  "runsync/leaves-out-zeros": {
    breaks: ["SYNC-01"],
    describe: "runsync leaves out a time that is 0.",
    change: inAnswer("runsync", (body) =>
      Object.fromEntries(Object.entries(body).filter(([, value]) => value !== 0)),
    ),
  },
  "runsync/wraps-an-array": {
    breaks: ["SYNC-01"],
    describe: "runsync puts an output that is an array into an object.",
    change: inAnswer("runsync", ({ output, ...rest }) =>
      Array.isArray(output)
        ? { ...rest, output: { result: output as unknown } }
        : { ...rest, output },
    ),
  },
  "runsync/does-not-wait-in-the-queue": {
    breaks: ["SYNC-02"],
    describe: "runsync answers at once where its job finds no free worker.",
    change: except("operations.waitsForJob", is("IN_QUEUE")),
  },
  "runsync/ignores-wait": {
    breaks: ["SYNC-02", "SYNC-04"],
    describe: "runsync waits 90 seconds, whatever the wait.",
    change: () => ({ submission: { waitMs: () => 90_000 } }),
  },
  "runsync/longest-wait-is-refused": {
    breaks: ["SYNC-03"],
    describe: "A wait of 300000 is refused.",
    change: except("submission.acceptsWait", (text) => text === "300000"),
  },
  "runsync/wait-is-a-little-too-short": {
    breaks: ["SYNC-03"],
    describe: "A wait of 999 is accepted.",
    change: also("submission.acceptsWait", (text) => text === "999"),
  },
  "runsync/empty-wait-is-the-default": {
    breaks: ["SYNC-03"],
    describe: "A wait without a value is ignored.",
    change: also("submission.acceptsWait", (text) => text === ""),
  },
  "runsync/wait-ends-where-its-digits-end": {
    breaks: ["SYNC-03"],
    describe: "Of a wait such as 2000ms the digits are taken.",
    change: override(
      "submission.acceptsWait",
      (accepts) => (text) => accepts(String(Number.parseInt(String(text), 10))),
    ),
  },
  "runsync/wait-has-no-sign": {
    breaks: ["SYNC-03"],
    describe: "The sign of a negative wait is dropped.",
    change: override(
      "submission.acceptsWait",
      (accepts) => (text) => accepts(String(text).replace("-", "")),
    ),
  },
  "runsync/wait-ends-a-millisecond-early": {
    breaks: ["SYNC-04"],
    describe: "runsync waits a millisecond less than it was asked to.",
    change: () => ({ submission: { waitMs: (givenMs) => (givenMs ?? 90_001) - 1 } }),
  },
  "runsync/end-of-wait-removes-a-queued-job": {
    breaks: ["SYNC-04"],
    describe: "A job that is still queued when the wait is over is removed.",
    change: where("operations.waitOverEvent", is("IN_QUEUE"), "purge"),
  },
  "runsync/answers-no-unfinished-job": {
    breaks: ["SYNC-04"],
    describe: "When the wait is over runsync goes on waiting, for an hour.",
    change: () => ({ operations: { waitsForMs: () => 3_600_000 } }),
  },
  "runsync/unfinished-job-counts-as-failed": {
    breaks: ["SYNC-04"],
    describe: "When the wait is over the answer says that the job has timed out.",
    change: inAnswerAbout("runsync", isUnfinished, (body) => ({ ...body, status: "TIMED_OUT" })),
  },
  "runsync/default-wait-ends-a-millisecond-early": {
    breaks: ["SYNC-05"],
    describe: "Without wait runsync waits 89999 ms.",
    change: () => ({ submission: { waitMs: (givenMs) => givenMs ?? 89_999 } }),
  },
  "runsync/default-wait-ends-a-little-late": {
    breaks: ["SYNC-05"],
    describe: "Without wait runsync waits 90002 ms.",
    change: () => ({ submission: { waitMs: (givenMs) => givenMs ?? 90_002 } }),
  },
  "runsync/failed-job-has-no-record": {
    breaks: ["SYNC-10"],
    describe: "runsync of a failed job answers 200 with the error alone.",
    change: inAnswerAbout("runsync", is("FAILED"), ({ error }) => ({ error })),
  },
  "runsync/wait-must-have-four-digits-or-more": {
    breaks: ["SYNC-03"],
    describe: "A wait is accepted by its number of digits.",
    change: replace("submission.acceptsWait", (text) => /^\d{4,6}$/.test(String(text))),
  },
  "runsync/minute-starts-with-the-submission": {
    breaks: ["SYNC-07"],
    describe: "The minute of a runsync job that outlived its wait begins with the submission.",
    change: result("retention.startsAtMs", (atMs, job) =>
      isRunsync(job) && atMs > job.submittedAtMs + job.waitMs ? job.submittedAtMs : atMs,
    ),
  },
  "runsync/failed-jobs-are-not-kept": {
    breaks: ["SYNC-07"],
    describe: "A runsync job that failed is gone a second later.",
    change: where("retention.keptMs", both(isRunsync, is("FAILED")), 1_000),
  },
  "runsync/read-result-is-gone": {
    breaks: ["STAT-08"],
    describe: "A runsync result can be read three times.",
    change: remembering(
      () => new Counts<Job>(),
      (reads) =>
        except(
          "retention.shows",
          (job, operation) =>
            operation === "status" && isRunsync(job) && hasEnded(job) && reads.add(job) > 3,
        ),
    ),
  },
  "runsync/result-stays-a-little-over-5-minutes": {
    breaks: ["SYNC-08"],
    describe: "A runsync result is kept for 5 minutes and 2 milliseconds.",
    change: where("retention.keptMs", isRunsync, 300_002),
  },
  "runsync/short-wait-shortens-the-result": {
    breaks: ["SYNC-07", "SYNC-09"],
    describe: "With a wait below a minute the result is kept no longer than the wait.",
    change: result("retention.keptMs", (keptMs, job) =>
      isRunsync(job) ? Math.min(job.waitMs, keptMs) : keptMs,
    ),
  },
  "runsync/wait-prolongs-the-result-a-little": {
    breaks: ["SYNC-09"],
    describe: "With a wait of 300000 the result is kept 2 milliseconds longer.",
    change: result("retention.keptMs", (keptMs, { waitMs }) =>
      waitMs === 300_000 ? keptMs + 2 : keptMs,
    ),
  },
  "runsync/retried-result-is-gone-early": {
    breaks: ["SYNC-07"],
    describe: "The result of a retried runsync job is kept for half a minute.",
    change: where("retention.keptMs", both(isRetried, isRunsync), 30_000),
  },
  "runsync/answers-when-a-worker-takes-a-waiting-job": {
    breaks: ["SYNC-02"],
    describe: "runsync answers as soon as a worker takes a job that waited.",
    change: whenever("webhook.isCalledAtStart", ({ waiters }) => tell(waiters)),
  },
  "runsync/shortest-wait-is-too-long": {
    breaks: ["SYNC-04"],
    describe: "A wait of 1000 waits for 1500 ms.",
    change: where("operations.waitsForMs", (job) => job.waitMs === 1_000, 1_500),
  },
});

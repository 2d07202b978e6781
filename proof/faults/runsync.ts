import type { Fault } from "../../reference/faults.ts";
import { tell } from "../../reference/job.ts";
import { inAnswer, inAnswerAbout, inRecord } from "./builders/answers.ts";
import { fault, withCounts } from "./builders/compose.ts";
import { both, is } from "./builders/conditions.ts";
import { onEvent } from "./builders/events.ts";
import { hasEnded, isRetried, isRunsync, isUnfinished, hasList } from "./builders/jobs.ts";
import { afterEvent } from "./builders/marks.ts";
import {
  also,
  except,
  instead,
  override,
  result,
  whenever,
  withArguments,
} from "./builders/member.ts";

/** Bugs in runsync: its answer, its wait, and how long its result is kept. */
export const runsyncFaults: readonly Fault[] = [
  fault("runsync/has-no-output", ["SYNC-01"], {
    describe: "runsync answers a completed job without its output.",
    change: except("operations.showsOutput", (_job, { operation }) => operation === "runsync"),
  }),
  fault("runsync/has-no-execution-time", ["SYNC-01"], {
    describe: "runsync answers a completed job without executionTime.",
    change: inAnswer("runsync", ({ executionTime: _left, ...rest }) => rest),
  }),
  fault("runsync/wait-is-capped", ["SYNC-02"], {
    describe: "runsync waits 90 seconds at most, also where wait is longer.",
    change: () => ({ operations: { waitsForMs: (job) => Math.min(job.waitMs, 90_000) } }),
  }),
  fault("runsync/shortest-wait-is-refused", ["SYNC-03"], {
    describe: "A wait of 1000 is refused.",
    change: except("submission.acceptsWait", (text) => text === "1000"),
  }),
  fault("runsync/wait-is-a-little-too-long", ["SYNC-03"], {
    describe: "A wait of 300001 is accepted.",
    change: also("submission.acceptsWait", (text) => text === "300001"),
  }),
  fault("runsync/wait-may-be-a-fraction", ["SYNC-03"], {
    describe: "A wait of 1500.5 is accepted.",
    change: also(
      "submission.acceptsWait",
      (text) => Number(text) >= 1_000 && Number(text) <= 300_000,
    ),
  }),
  fault("runsync/wrong-wait-is-the-default", ["SYNC-03"], {
    describe: "A wait that is no number is ignored.",
    change: also("submission.acceptsWait", (text) => Number.isNaN(Number(text))),
  }),
  fault("runsync/end-of-wait-cancels", ["SYNC-04"], {
    describe: "When the wait is over the job is cancelled.",
    change: () => ({ operations: { waitOverEvent: () => "cancel" } }),
  }),
  fault("runsync/end-of-wait-tells-no-id", ["SYNC-04"], {
    describe: "When the wait is over the answer has no id.",
    change: inAnswerAbout("runsync", isUnfinished, ({ status }) => ({ status })),
  }),
  fault("runsync/has-the-limit-of-run", ["SYNC-06"], {
    describe: "runsync refuses payloads over 10 MB.",
    change: override(
      "submission.payloadBytesMax",
      (bytesMax) => (_operation, isChunked) => bytesMax("run", isChunked),
    ),
  }),
  fault("runsync/result-is-gone-early", ["SYNC-07"], {
    describe: "The result of a runsync job is deleted one millisecond before its minute is over.",
    change: instead("retention.keptMs", 59_999, isRunsync),
  }),
  fault("runsync/wait-prolongs-the-result", ["SYNC-09"], {
    describe: "With a wait above the default the result is kept for as long as the wait.",
    change: result("retention.keptMs", (keptMs, job) =>
      isRunsync(job) && job.waitMs > 90_000 ? job.waitMs : keptMs,
    ),
  }),
  fault("runsync/failed-job-is-a-bad-request", ["SYNC-10"], {
    describe: "runsync answers 400 where its job failed.",
    change: () => ({ operations: { failedRunsyncStatus: () => 400 } }),
  }),
  fault("runsync/queue-is-not-shown", ["SYNC-11"], {
    describe: "A runsync job that waits for a worker is shown as IN_PROGRESS.",
    change: inRecord({ status: "IN_PROGRESS" }, both(isRunsync, is("IN_QUEUE"))),
  }),
  fault("runsync/leaves-out-zeros", ["SYNC-01"], {
    describe: "runsync leaves out a time that is 0.",
    change: inAnswer("runsync", (body) =>
      Object.fromEntries(Object.entries(body).filter(([, value]) => value !== 0)),
    ),
  }),
  fault("runsync/wraps-an-array", ["SYNC-01"], {
    describe: "runsync puts an output that is an array into an object.",
    change: inAnswer("runsync", ({ output, ...rest }) =>
      Array.isArray(output)
        ? { ...rest, output: { result: output as unknown } }
        : { ...rest, output },
    ),
  }),
  fault("runsync/does-not-wait-in-the-queue", ["SYNC-02"], {
    describe: "runsync answers at once where its job finds no free worker.",
    change: except("operations.waitsForJob", is("IN_QUEUE")),
  }),
  fault("runsync/longest-wait-is-refused", ["SYNC-03"], {
    describe: "A wait of 300000 is refused.",
    change: except("submission.acceptsWait", (text) => text === "300000"),
  }),
  fault("runsync/empty-wait-is-the-default", ["SYNC-03"], {
    describe: "A wait without a value is ignored.",
    change: also("submission.acceptsWait", (text) => text === ""),
  }),
  fault("runsync/wait-has-no-sign", ["SYNC-03"], {
    describe: "The sign of a negative wait is dropped.",
    change: withArguments("submission.acceptsWait", (text) => [String(text).replace("-", "")]),
  }),
  fault("runsync/wait-ends-a-millisecond-early", ["SYNC-04"], {
    describe: "runsync waits a millisecond less than it was asked to.",
    change: () => ({ submission: { waitMs: (givenMs) => (givenMs ?? 90_001) - 1 } }),
  }),
  fault("runsync/end-of-wait-removes-a-queued-job", ["SYNC-04"], {
    describe: "A job that is still queued when the wait is over is removed.",
    change: instead("operations.waitOverEvent", "purge", is("IN_QUEUE")),
  }),
  fault("runsync/answers-no-unfinished-job", ["SYNC-04"], {
    describe: "When the wait is over runsync goes on waiting, for an hour.",
    change: () => ({ operations: { waitsForMs: () => 3_600_000 } }),
  }),
  fault("runsync/unfinished-job-counts-as-failed", ["SYNC-04"], {
    describe: "When the wait is over the answer says that the job has timed out.",
    change: inAnswerAbout("runsync", isUnfinished, { status: "TIMED_OUT" }),
  }),
  fault("runsync/default-wait-ends-a-millisecond-early", ["SYNC-05"], {
    describe: "Without wait runsync waits 89999 ms.",
    change: () => ({ submission: { waitMs: (givenMs) => givenMs ?? 89_999 } }),
  }),
  fault("runsync/default-wait-ends-a-little-late", ["SYNC-05"], {
    describe: "Without wait runsync waits 90002 ms.",
    change: () => ({ submission: { waitMs: (givenMs) => givenMs ?? 90_002 } }),
  }),
  fault("runsync/failed-job-has-no-record", ["SYNC-10"], {
    describe: "runsync of a failed job answers 200 with the error alone.",
    change: inAnswerAbout("runsync", is("FAILED"), ({ error }) => ({ error })),
  }),
  fault("runsync/minute-starts-with-the-submission", ["SYNC-07"], {
    describe: "The minute of a runsync job that outlived its wait begins with the submission.",
    change: result("retention.startsAtMs", (atMs, job) =>
      isRunsync(job) && atMs > job.submittedAtMs + job.waitMs ? job.submittedAtMs : atMs,
    ),
  }),
  fault("runsync/failed-jobs-are-not-kept", ["SYNC-07"], {
    describe: "A runsync job that failed is gone a second later.",
    change: instead("retention.keptMs", 1_000, both(isRunsync, is("FAILED"))),
  }),
  fault("runsync/read-result-is-gone", ["STAT-08"], {
    describe: "A runsync result can be read three times.",
    change: withCounts((reads) =>
      except(
        "retention.shows",
        (job, operation) =>
          operation === "status" && isRunsync(job) && hasEnded(job) && reads.add(job) > 3,
      ),
    ),
  }),
  fault("runsync/result-stays-a-little-over-5-minutes", ["SYNC-08"], {
    describe: "A runsync result is kept for 5 minutes and 2 milliseconds.",
    change: instead("retention.keptMs", 300_002, isRunsync),
  }),
  fault("runsync/short-wait-shortens-the-result", ["SYNC-07", "SYNC-09"], {
    describe: "With a wait below a minute the result is kept no longer than the wait.",
    change: result("retention.keptMs", (keptMs, job) =>
      isRunsync(job) ? Math.min(job.waitMs, keptMs) : keptMs,
    ),
  }),
  fault("runsync/wait-prolongs-the-result-a-little", ["SYNC-09"], {
    describe: "With a wait of 300000 the result is kept 2 milliseconds longer.",
    change: result("retention.keptMs", (keptMs, { waitMs }) =>
      waitMs === 300_000 ? keptMs + 2 : keptMs,
    ),
  }),
  fault("runsync/retried-result-is-gone-early", ["SYNC-07"], {
    describe: "The result of a retried runsync job is kept for half a minute.",
    change: instead("retention.keptMs", 30_000, both(isRetried, isRunsync)),
  }),
  fault("runsync/answers-when-a-worker-takes-a-waiting-job", ["SYNC-02"], {
    describe: "runsync answers as soon as a worker takes a job that waited.",
    change: whenever("webhook.isCalledAtStart", ({ waiters }) => tell(waiters)),
  }),
  fault("runsync/shortest-wait-is-too-long", ["SYNC-04"], {
    describe: "A wait of 1000 waits for 1500 ms.",
    change: instead("operations.waitsForMs", 1_500, (job) => job.waitMs === 1_000),
  }),
  fault("runsync/execution-time-has-the-queue-in-it", ["SYNC-01"], {
    describe: "runsync answers an executionTime that counts the time in the queue, too.",
    change: inAnswerAbout("runsync", hasEnded, (body) => ({
      ...body,
      executionTime: Number(body["executionTime"]) + Number(body["delayTime"]),
    })),
  }),
  fault("runsync/delay-is-always-zero", ["SYNC-01"], {
    describe: "runsync answers a delayTime of 0 for every job.",
    change: inAnswer("runsync", (body) => ("delayTime" in body ? { ...body, delayTime: 0 } : body)),
  }),
  fault("runsync/output-has-a-megabyte-at-most", ["SUBM-04"], {
    describe: "runsync answers an output of more than 1 MB with an empty object in its place.",
    change: inAnswer("runsync", (body) =>
      JSON.stringify(body).length > 1_048_576 ? { ...body, output: {} } : body,
    ),
  }),
  fault("runsync/expired-job-is-answered-as-completed", ["POLI-09"], {
    describe: "A runsync that waits for a job whose ttl runs out at work answers COMPLETED.",
    change: afterEvent("ttl-ran-out", is("IN_PROGRESS"), (hasExpired) => [
      onEvent("ttl-ran-out", "TIMED_OUT", is("IN_PROGRESS")),
      inAnswerAbout("runsync", hasExpired, { status: "COMPLETED", output: {} }),
    ]),
  }),
  fault("runsync/timed-out-job-is-answered-as-completed", ["POLI-04"], {
    describe:
      "A runsync that waits for a job which runs past its executionTimeout answers COMPLETED.",
    change: inAnswerAbout("runsync", is("TIMED_OUT"), { status: "COMPLETED", output: {} }),
  }),
  fault("runsync/lists-are-kept-for-ten-seconds", ["SYNC-07"], {
    describe: "The result of a runsync job that is an array is deleted after ten seconds.",
    change: instead("retention.keptMs", 10_000, both(isRunsync, hasList)),
  }),
  fault("runsync/timed-out-job-has-no-id", ["ENDP-05"], {
    describe: "runsync answers a job that has timed out with its status alone.",
    change: inAnswerAbout("runsync", is("TIMED_OUT"), ({ status }) => ({ status })),
  }),
  fault("runsync/reading-prolongs-the-result", ["STAT-10"], {
    describe: "Each status read starts the retention of a runsync result anew.",
    change: also("retention.isProlongedBy", (read, job) => read === "status" && isRunsync(job)),
  }),
];

import type { Fault } from "../../reference/faults.ts";
import type { JsonObject } from "../../reference/job.ts";
import { inAnswer, inAnswerAbout } from "./builders/answers.ts";
import { all, fault, remembering } from "./builders/compose.ts";
import { always, both, is } from "./builders/conditions.ts";
import { refuseEvent } from "./builders/events.ts";
import { hasExecutionTimeout, isRetried, isRunsync } from "./builders/jobs.ts";
import { mapObject } from "./builders/json-values.ts";
import { afterEvent } from "./builders/marks.ts";
import { also, except, override, replace, result, whenever } from "./builders/member.ts";

/** Bugs in which jobs can be retried, in what a retry runs, and in what starts anew for it. */
export const retryFaults: readonly Fault[] = [
  fault("retry/answer-tells-the-old-state", ["RETR-01", "RETR-02"], {
    describe: "retry answers IN_PROGRESS.",
    change: inAnswer("retry", (body) => ({ ...body, status: "IN_PROGRESS" })),
  }),
  fault("retry/answer-has-a-new-id", ["RETR-01", "RETR-02"], {
    describe: "retry answers an id of its own.",
    change: inAnswerAbout("retry", always, (body, { id, attempt }) => ({
      ...body,
      id: `${id}-r${attempt}`,
    })),
  }),
  fault("retry/no-runsync-job", ["RETR-01", "RETR-02"], {
    describe: "A runsync job cannot be retried.",
    change: refuseEvent("retry", isRunsync),
  }),
  fault("retry/timed-out-job-answers-no-queue", ["RETR-02"], {
    describe: "retry of a job that had timed out answers TIMED_OUT.",
    change: inAnswerAbout("retry", hasExecutionTimeout, { status: "TIMED_OUT" }),
  }),
  fault("retry/never-taken-again", ["RETR-03"], {
    describe: "A retried job waits for ever.",
    change: replace("lifecycle.takeNext", (queue) =>
      [...queue.values()].find((job) => !isRetried(job)),
    ),
  }),
  fault("retry/second-retry-has-no-input", ["RETR-03"], {
    describe: "From the third attempt on, the handler gets an input without its value.",
    change: result("lifecycle.handlerInput", (input, { attempt }) => {
      const { value: _left, ...rest } = input;
      return attempt > 2 ? rest : input;
    }),
  }),
  fault("retry/input-of-the-latest-job", ["RETR-03"], {
    describe: "A retried job runs with the input that was retried last.",
    change: remembering<{ latest: JsonObject }>({ latest: {} }, (memory) => [
      whenever("operations.beforeRetry", (job) => void (memory.latest = job.submission.input)),
      result("lifecycle.handlerInput", (input, job) => (isRetried(job) ? memory.latest : input)),
    ]),
  }),
  fault("retry/unread-chunks-stay", ["RETR-04"], {
    describe: "Chunks that nobody has read are still there after a retry.",
    change: override("operations.beforeRetry", (prepare) => (job) => {
      const unread = job.chunks.slice(job.chunksRead);
      prepare(job);
      job.chunks.push(...unread);
    }),
  }),
  fault("retry/output-stays", ["RETR-04"], {
    describe: "What a failed attempt left as output is shown while the job waits for the next one.",
    change: all(
      result("lifecycle.keptOutput", (output) => output ?? { partial: true }),
      override("operations.beforeRetry", (prepare) => (job) => {
        const { output } = job;
        prepare(job);
        job.output = output;
      }),
      also("operations.showsOutput", both(is("IN_QUEUE"), isRetried)),
    ),
  }),
  fault("retry/execution-timeout-goes-on", ["RETR-08"], {
    describe: "executionTimeout of a retried job counts from its submission.",
    change: result("lifecycle.executionTimeoutStartsAtMs", (atMs, job) =>
      isRetried(job) ? Math.max(atMs - 3_000, job.submittedAtMs) : atMs,
    ),
  }),
  fault("retry/queue-uses-up-the-execution-timeout", ["RETR-08"], {
    describe: "executionTimeout of a retried job counts from the retry.",
    change: result("lifecycle.executionTimeoutStartsAtMs", (atMs, job) =>
      isRetried(job) ? job.queuedAtMs : atMs,
    ),
  }),
  fault("retry/no-webhook", ["RETR-08", "HOOK-01"], {
    describe: "The webhook of a retried job is not called.",
    change: except("webhook.isCalledFor", isRetried),
  }),
  fault("retry/second-retry-loses-the-webhook", ["RETR-08"], {
    describe: "A job that was retried twice calls no webhook.",
    change: except("webhook.isCalledFor", ({ attempt }) => attempt >= 3),
  }),
  fault("retry/second-retry-keeps-the-chunks", ["RETR-04"], {
    describe: "From the second retry on the chunks of the attempt before are shown once more.",
    change: override("operations.beforeRetry", (prepare) => (job) => {
      const before = job.attempt > 2 ? [...job.chunks] : [];
      prepare(job);
      job.chunks.push(...before);
    }),
  }),
  fault("retry/nulls-are-lost", ["RETR-03"], {
    describe: "A retried job is processed without the nulls of its input.",
    change: result("lifecycle.handlerInput", (input, job) => {
      return isRetried(job) ? mapObject(input, { change: (value) => value ?? undefined }) : input;
    }),
  }),
  fault("retry/late-cancel-drops-the-webhook", ["RETR-08"], {
    describe: "A failed job that was cancelled too late calls no webhook when its retry completes.",
    change: afterEvent("cancel", is("FAILED"), (wasCancelled) =>
      except("webhook.isCalledFor", wasCancelled),
    ),
  }),
];

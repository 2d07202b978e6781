import { isJsonObject } from "../behaviour/submission.ts";
import type { Fault } from "../fault.ts";
import type { Job, JsonObject } from "../job.ts";

/** Bugs in which jobs can be retried, and in what a retry runs. */
export const retryFaults: readonly Fault[] = [
  {
    name: "retry/answer-tells-the-old-state",
    breaks: ["RETR-01", "RETR-02"],
    describe: "retry answers IN_PROGRESS.",
    change: () => ({ operations: { retryStatus: () => "IN_PROGRESS" } }),
  },
  {
    name: "retry/answer-has-a-new-id",
    breaks: ["RETR-01", "RETR-02"],
    describe: "retry answers an id of its own.",
    change: () => ({
      operations: {
        shape: (body, { operation, job }) =>
          operation === "retry" && isJsonObject(body) && job !== undefined
            ? { ...body, id: `${job.id}-r${job.attempt}` }
            : body,
      },
    }),
  },
  {
    name: "retry/failed-job-only-once",
    breaks: ["RETR-01"],
    describe: "A job that failed twice cannot be retried.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "retry" && job.attempt > 1 && job.status === "FAILED"
            ? undefined
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "retry/no-runsync-job",
    breaks: ["RETR-01", "RETR-02"],
    describe: "A runsync job cannot be retried.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "retry" && job.submittedBy === "runsync"
            ? undefined
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "retry/no-timed-out-job",
    breaks: ["RETR-02"],
    describe: "A TIMED_OUT job cannot be retried.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "retry" && job.status === "TIMED_OUT" ? undefined : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "retry/timed-out-job-answers-no-queue",
    breaks: ["RETR-02"],
    describe: "retry of a job that had timed out answers TIMED_OUT.",
    change: () => ({
      operations: {
        retryStatus: (job) =>
          job.submission.policy.executionTimeout === undefined ? "IN_QUEUE" : "TIMED_OUT",
      },
    }),
  },
  {
    name: "retry/never-taken-again",
    breaks: ["RETR-03"],
    describe: "A retried job waits for ever.",
    change: () => ({
      lifecycle: {
        takeNext: (queue) => [...queue.values()].find(({ attempt }) => attempt === 1),
      },
    }),
  },
  {
    name: "retry/second-retry-has-no-input",
    breaks: ["RETR-03"],
    describe: "From the third attempt on, the handler gets an input without its value.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        handlerInput: (job) => {
          const { value, ...rest } = lifecycle.handlerInput(job);
          return job.attempt > 2 ? rest : { ...rest, ...(value !== undefined && { value }) };
        },
      },
    }),
  },
  {
    name: "retry/input-of-the-latest-job",
    breaks: ["RETR-03"],
    describe: "A retried job runs with the input that was retried last.",
    change: ({ lifecycle, operations }) => {
      let latest: JsonObject = {};
      return {
        operations: {
          beforeRetry: (job) => {
            latest = job.submission.input;
            operations.beforeRetry(job);
          },
        },
        lifecycle: {
          handlerInput: (job) => (job.attempt > 1 ? latest : lifecycle.handlerInput(job)),
        },
      };
    },
  },
  {
    name: "retry/first-retention-goes-on",
    breaks: ["RETR-03"],
    describe: "A retried job is gone when the retention of its first attempt would have ended.",
    change: ({ retention, lifecycle }) => {
      const goneAtMs = new WeakMap<Job, number>();
      return {
        lifecycle: {
          keptOutput: (output, job) => {
            const endedAtMs = job.finishedAtMs ?? 0;
            if (!goneAtMs.has(job)) goneAtMs.set(job, endedAtMs + retention.keptMs(job));
            return lifecycle.keptOutput(output, job);
          },
        },
        retention: {
          shows: (job, operation, nowMs) =>
            nowMs < (goneAtMs.get(job) ?? Number.POSITIVE_INFINITY) &&
            retention.shows(job, operation, nowMs),
        },
      };
    },
  },
  {
    name: "retry/chunks-stay",
    breaks: ["RETR-04"],
    describe: "The chunks of the attempt before stay in the stream.",
    change: () => ({
      operations: {
        beforeRetry: (job) => {
          job.output = undefined;
          job.error = undefined;
        },
      },
    }),
  },
  {
    name: "retry/unread-chunks-stay",
    breaks: ["RETR-04"],
    describe: "Chunks that nobody has read are still there after a retry.",
    change: () => ({
      operations: {
        beforeRetry: (job) => {
          job.output = undefined;
          job.error = undefined;
          job.chunks.splice(0, job.chunksRead);
          job.chunksRead = 0;
        },
      },
    }),
  },
  {
    name: "retry/output-stays",
    breaks: ["RETR-04"],
    describe: "What a failed attempt left as output is shown while the job waits for the next one.",
    change: ({ operations }) => ({
      lifecycle: { keptOutput: (output) => output ?? { partial: true } },
      operations: {
        beforeRetry: (job) => {
          const { output } = job;
          operations.beforeRetry(job);
          job.output = output;
        },
        showsOutput: (job, context) =>
          operations.showsOutput(job, context) || (job.status === "IN_QUEUE" && job.attempt > 1),
      },
    }),
  },
];

/** Bugs in what a retried job gets anew. */
export const retryAnewFaults: readonly Fault[] = [
  {
    name: "retry/execution-timeout-goes-on",
    breaks: ["RETR-08"],
    describe: "executionTimeout of a retried job counts from its submission.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        executionTimeoutStartsAtMs: (job, nowMs) =>
          job.attempt > 1
            ? Math.max(nowMs - 3_000, job.submittedAtMs)
            : lifecycle.executionTimeoutStartsAtMs(job, nowMs),
      },
    }),
  },
  {
    name: "retry/default-execution-timeout",
    breaks: ["RETR-08"],
    describe: "A retried job has the default executionTimeout and not its own.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        executionTimeoutMs: (job, endpointDefaultMs) =>
          job.attempt > 1
            ? (endpointDefaultMs ?? 600_000)
            : lifecycle.executionTimeoutMs(job, endpointDefaultMs),
      },
    }),
  },
  {
    name: "retry/queue-uses-up-the-execution-timeout",
    breaks: ["RETR-08"],
    describe: "executionTimeout of a retried job counts from the retry.",
    change: () => ({
      lifecycle: {
        executionTimeoutStartsAtMs: (job, nowMs) => (job.attempt > 1 ? job.queuedAtMs : nowMs),
      },
    }),
  },
  {
    name: "retry/low-priority-is-forgotten",
    breaks: ["RETR-08"],
    describe: "A lowPriority job adds a worker when it is retried.",
    change: ({ lifecycle }) => ({
      lifecycle: { triggersScaling: (job) => job.attempt > 1 || lifecycle.triggersScaling(job) },
    }),
  },
  {
    name: "retry/no-webhook",
    breaks: ["RETR-08"],
    describe: "The webhook of a retried job is not called.",
    change: ({ webhook }) => ({
      webhook: { isCalledFor: (job) => job.attempt === 1 && webhook.isCalledFor(job) },
    }),
  },
  {
    name: "retry/one-webhook-attempt",
    breaks: ["RETR-08"],
    describe: "The webhook of a retried job is called once, whatever it answers.",
    change: ({ webhook }) => ({
      webhook: {
        attemptsMax: (outcome) => (outcome.job.attempt > 1 ? 1 : webhook.attemptsMax(outcome)),
      },
    }),
  },
];

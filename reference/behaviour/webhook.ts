import type { ClockMode } from "../clock.ts";
import type { Job, JsonObject } from "../job.ts";

/** How an attempt went: the receiver's status, or undefined where no answer came. */
export interface WebhookOutcome {
  readonly status: number | undefined;
  readonly attempt: number;
}

/** SPEC.md "Events". */
export interface WebhookBehaviour {
  /** Whether a job with a webhook calls it for how it has ended. */
  readonly isCalledFor: (job: Job) => boolean;
  /** Whether a worker taking the job calls it too. */
  readonly isCalledAtStart: (job: Job) => boolean;
  readonly url: (job: Job) => string | undefined;
  /** `record` is the status answer of that moment. */
  readonly body: (record: JsonObject, job: Job, attempt: number) => unknown;
  readonly attemptsMax: (job: Job) => number;
  /** From the end of an attempt to the next one. */
  readonly spacingMs: (failedAttempt: number) => number;
  readonly acknowledges: (outcome: WebhookOutcome) => boolean;
  /** How many redirects are followed. */
  readonly redirectsMax: number;
  /** How long a silent receiver is waited for, in real time whatever the clock. */
  readonly answerWithinMs: (mode: ClockMode) => number;
  /** Whether the job's worker stays busy until the call is over. */
  readonly keepsWorker: (job: Job) => boolean;
}

export const webhook: WebhookBehaviour = {
  isCalledFor: ({ status }) =>
    status === "COMPLETED" || status === "FAILED" || status === "TIMED_OUT",
  isCalledAtStart: () => false,
  url: (job) => job.submission.webhook,
  body: (record) => record,
  attemptsMax: () => 3,
  spacingMs: () => 10_000,
  acknowledges: ({ status }) => status === 200,
  redirectsMax: 0,
  answerWithinMs: (mode) => (mode === "virtual" ? 1_000 : 10_000),
  keepsWorker: () => false,
};

import type { ClockMode } from "../clock.ts";
import type { Job, JsonObject } from "../job.ts";

/** Why no answer came: nobody listened, the connection was dropped, the receiver stayed silent, or none may be sent there. */
export type WebhookFailure = "refused" | "dropped" | "silent" | "forbidden";

/** How an attempt went: the receiver's status, or why there is none. */
export interface WebhookOutcome {
  readonly status: number | undefined;
  readonly failure: WebhookFailure | undefined;
  readonly attempt: number;
  readonly job: Job;
}

/** When and how a webhook is called (docs/specification.md#events). */
export interface WebhookBehaviour {
  /** Whether a job with a webhook calls it for how it has ended. */
  readonly isCalledFor: (job: Job) => boolean;
  /** Whether a worker taking the job calls it too. */
  readonly isCalledAtStart: (job: Job) => boolean;
  /** Where it is called; `previousUrl` is what the endpoint called last. */
  readonly url: (job: Job, previousUrl: string | undefined) => string | undefined;
  readonly method: (job: Job, attempt: number) => "POST" | "PUT";
  /** `record` is the status answer of that moment. */
  readonly body: (record: JsonObject, job: Job, attempt: number) => unknown;
  /** How long after its end a job first calls its webhook; 0 is right. */
  readonly startsAfterMs: (job: Job, nowMs: number) => number;
  readonly attemptsMax: (outcome: WebhookOutcome) => number;
  /** From the end of a failed attempt to the next one. */
  readonly spacingMs: (outcome: WebhookOutcome) => number;
  readonly acknowledges: (outcome: WebhookOutcome) => boolean;
  /** Whether the attempts for an ending go on once the job was retried; either conforms. */
  readonly outlivesRetry: boolean;
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
  method: () => "POST",
  body: (record) => record,
  startsAfterMs: () => 0,
  attemptsMax: () => 3,
  spacingMs: () => 10_000,
  acknowledges: ({ status }) => status === 200,
  outlivesRetry: true,
  redirectsMax: 0,
  answerWithinMs: (mode) => (mode === "virtual" ? 2_000 : 10_000),
  keepsWorker: () => false,
};

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
export const webhook = {
  /** Whether a job with a webhook calls it for how it has ended. */
  isCalledFor: ({ status }: Job): boolean =>
    status === "COMPLETED" || status === "FAILED" || status === "TIMED_OUT",
  /** Whether a worker taking the job calls it too. */
  isCalledAtStart: (_job: Job): boolean => false,
  /** Where it is called; `previousUrl` is what the endpoint called last. */
  url: (job: Job, _previousUrl: string | undefined): string | undefined => job.submission.webhook,
  method: (_job: Job, _attempt: number): "POST" | "PUT" => "POST",
  /** `record` is the status answer of that moment. */
  body: (record: JsonObject, _job: Job, _attempt: number): unknown => record,
  /** How long after its end a job first calls its webhook; 0 is right. */
  startsAfterMs: (_job: Job, _nowMs: number): number => 0,
  attemptsMax: (_outcome: WebhookOutcome): number => 3,
  /** From the end of a failed attempt to the next one. */
  spacingMs: (_outcome: WebhookOutcome): number => 10_000,
  acknowledges: ({ status }: WebhookOutcome): boolean => status === 200,
  /** Whether the attempts for an ending go on once the job was retried; either conforms. */
  outlivesRetry: true,
  /** How many redirects are followed. */
  redirectsMax: 0,
  /** How long a silent receiver is waited for, in real time whatever the clock. */
  answerWithinMs: (mode: ClockMode): number => (mode === "virtual" ? 2_000 : 10_000),
  /** Whether the job's worker stays busy until the call is over. */
  keepsWorker: (_job: Job): boolean => false,
};

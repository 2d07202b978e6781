import { is } from "../faults/builders/conditions.ts";
import { replace } from "../faults/builders/member.ts";
import { variation, type Variation } from "./variation.ts";

/** For which endings the webhook is called, and what its body holds besides the record. */
export const webhookVariations: readonly Variation[] = [
  variation("webhook/for-completed-jobs-alone", {
    describe: "Only a job that completes calls its webhook.",
    change: replace("webhook.isCalledFor", is("COMPLETED")),
  }),
  variation("webhook/for-every-ending", {
    describe: "Every ending calls the webhook, CANCELLED too.",
    change: replace("webhook.isCalledFor", is("COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED")),
  }),
  variation("webhook/for-failed-jobs-too", {
    describe: "Jobs that end COMPLETED or FAILED call the webhook.",
    change: replace("webhook.isCalledFor", is("COMPLETED", "FAILED")),
  }),
  variation("webhook/for-timed-out-jobs-too", {
    describe: "Jobs that end COMPLETED or TIMED_OUT call the webhook.",
    change: replace("webhook.isCalledFor", is("COMPLETED", "TIMED_OUT")),
  }),
  variation("webhook/for-cancelled-jobs-too", {
    describe: "Jobs that end COMPLETED or CANCELLED call the webhook.",
    change: replace("webhook.isCalledFor", is("COMPLETED", "CANCELLED")),
  }),
  variation("webhook/body-tells-the-submission", {
    describe: "The body of the call also holds the job's input and its webhook.",
    change: () => ({
      webhook: {
        body: (record, { submission }, attempt) => ({
          attempt,
          input: submission.input,
          webhook: submission.webhook,
          ...record,
        }),
      },
    }),
  }),
  variation("webhook/body-in-another-order", {
    describe: "The members of the body come in another order than those of status.",
    change: () => ({
      webhook: { body: (record) => Object.fromEntries(Object.entries(record).toReversed()) },
    }),
  }),
  variation("webhook/dropped-by-a-retry", {
    describe: "Once a job is retried, the remaining attempts for its former ending are not made.",
    change: () => ({ webhook: { outlivesRetry: false } }),
  }),
  variation("webhook/silent-receiver-is-given-up-later", {
    describe: "A receiver that stays silent is given up after 2.5 seconds of real time.",
    change: () => ({ webhook: { answerWithinMs: () => 2_500 } }),
  }),
];

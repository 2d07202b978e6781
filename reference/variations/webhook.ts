import type { JobStatus } from "../transitions.ts";
import type { Variation } from "../variation.ts";

/** For which endings the webhook is called, and what its body holds besides the record. */
export const webhookVariations: readonly Variation[] = [
  {
    name: "webhook/for-completed-jobs-alone",
    describe: "Only a job that completes calls its webhook.",
    change: () => calledFor("COMPLETED"),
  },
  {
    name: "webhook/for-every-ending",
    describe: "Every ending calls the webhook, CANCELLED too.",
    change: () => calledFor("COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED"),
  },
  {
    name: "webhook/for-failed-jobs-too",
    describe: "Jobs that end COMPLETED or FAILED call the webhook.",
    change: () => calledFor("COMPLETED", "FAILED"),
  },
  {
    name: "webhook/for-timed-out-jobs-too",
    describe: "Jobs that end COMPLETED or TIMED_OUT call the webhook.",
    change: () => calledFor("COMPLETED", "TIMED_OUT"),
  },
  {
    name: "webhook/for-cancelled-jobs-too",
    describe: "Jobs that end COMPLETED or CANCELLED call the webhook.",
    change: () => calledFor("COMPLETED", "CANCELLED"),
  },
  {
    name: "webhook/body-tells-the-submission",
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
  },
  {
    name: "webhook/body-in-another-order",
    describe: "The members of the body come in another order than those of status.",
    change: () => ({
      webhook: { body: (record) => Object.fromEntries(Object.entries(record).toReversed()) },
    }),
  },
  {
    name: "webhook/silent-receiver-is-given-up-later",
    describe: "A receiver that stays silent is given up after 2.5 seconds of real time.",
    change: () => ({ webhook: { answerWithinMs: () => 2_500 } }),
  },
];

function calledFor(...statuses: readonly JobStatus[]): {
  readonly webhook: { readonly isCalledFor: (job: { readonly status: JobStatus }) => boolean };
} {
  return { webhook: { isCalledFor: ({ status }) => statuses.includes(status) } };
}

import type { WebhookBehaviour } from "../behaviour/webhook.ts";
import type { Fault } from "../fault.ts";

/** Faults of how often and when a webhook is called, and of what a failing one does to others. */
export const webhookAttemptFaults: readonly Fault[] = [
  {
    name: "webhook/acknowledged-and-repeated",
    breaks: ["HOOK-03"],
    describe: "A call that was answered with 200 is made once more.",
    change: ({ webhook }) => ({
      webhook: { acknowledges: (outcome) => outcome.attempt > 1 && webhook.acknowledges(outcome) },
    }),
  },
  {
    name: "webhook/acknowledged-and-repeated-for-runsync",
    breaks: ["HOOK-03"],
    describe: "An acknowledged call of a runsync job is made once more.",
    change: ({ webhook }) => ({
      webhook: {
        acknowledges: (outcome) =>
          webhook.acknowledges(outcome) &&
          (outcome.attempt > 1 || outcome.job.submittedBy === "run"),
      },
    }),
  },
  {
    name: "webhook/four-attempts",
    breaks: ["HOOK-04"],
    describe: "A failing call is made four times.",
    change: () => ({ webhook: { attemptsMax: () => 4 } }),
  },
  {
    name: "webhook/attempts-without-end",
    breaks: ["HOOK-04"],
    describe: "A failing call is made until it succeeds.",
    change: () => ({ webhook: { attemptsMax: () => 200 } }),
  },
  {
    name: "webhook/two-attempts",
    breaks: ["HOOK-04"],
    describe: "A failing call is made twice.",
    change: () => ({ webhook: { attemptsMax: () => 2 } }),
  },
  {
    name: "webhook/one-attempt-for-runsync",
    breaks: ["HOOK-04"],
    describe: "A failing call of a runsync job is not repeated.",
    change: () => ({ webhook: { attemptsMax: ({ job }) => (job.submittedBy === "run" ? 3 : 1) } }),
  },
  {
    name: "webhook/spacing-1-ms-short",
    breaks: ["HOOK-05"],
    describe: "The attempts are 9,999 ms apart.",
    change: () => ({ webhook: { spacingMs: () => 9_999 } }),
  },
  {
    name: "webhook/spacing-2-ms-long",
    breaks: ["HOOK-05"],
    describe: "The attempts are 10,002 ms apart.",
    change: () => ({ webhook: { spacingMs: () => 10_002 } }),
  },
  {
    name: "webhook/spacing-grows",
    breaks: ["HOOK-05"],
    describe: "The third attempt comes 20 s after the second one.",
    change: () => ({ webhook: { spacingMs: ({ attempt }) => attempt * 10_000 } }),
  },
  {
    name: "webhook/no-spacing-after-a-drop",
    breaks: ["HOOK-05"],
    describe: "A call whose connection was dropped is repeated at once.",
    change: () => ({
      webhook: { spacingMs: ({ failure }) => (failure === "dropped" ? 0 : 10_000) },
    }),
  },
  {
    name: "webhook/success-counts-once",
    breaks: ["HOOK-06"],
    describe: "Only the first attempt can be acknowledged.",
    change: ({ webhook }) => ({
      webhook: {
        acknowledges: (outcome) => outcome.attempt === 1 && webhook.acknowledges(outcome),
      },
    }),
  },
  {
    name: "webhook/success-after-a-drop-is-missed",
    breaks: ["HOOK-06"],
    describe: "After a dropped connection a success is not seen, so that the call is made again.",
    change: ({ webhook }) => ({
      webhook: { acknowledges: afterDrop((outcome) => webhook.acknowledges(outcome)) },
    }),
  },
  {
    name: "webhook/any-2xx-acknowledges",
    breaks: ["HOOK-07"],
    describe: "Every status from 200 to 299 ends the call.",
    change: () => ({
      webhook: { acknowledges: ({ status = 0 }) => status >= 200 && status <= 299 },
    }),
  },
  {
    name: "webhook/no-content-acknowledges",
    breaks: ["HOOK-07"],
    describe: "An answer of 204 ends the call as 200 does.",
    change: () => ({ webhook: { acknowledges: ({ status }) => status === 200 || status === 204 } }),
  },
  {
    name: "webhook/redirect-acknowledges",
    breaks: ["HOOK-07"],
    describe: "A redirect ends the call.",
    change: () => ({
      webhook: {
        acknowledges: ({ status = 0 }) => status === 200 || (status >= 300 && status <= 399),
      },
    }),
  },
  {
    name: "webhook/redirect-is-followed",
    breaks: ["HOOK-07"],
    describe: "A redirect is followed, and a 200 behind it ends the call.",
    change: () => ({ webhook: { redirectsMax: 3 } }),
  },
  {
    name: "webhook/client-error-ends-it",
    breaks: ["HOOK-07"],
    describe: "An answer of 4xx is taken as final.",
    change: () => ({
      webhook: {
        acknowledges: ({ status = 0 }) => status === 200 || (status >= 400 && status <= 499),
      },
    }),
  },
  {
    name: "webhook/server-error-ends-it",
    breaks: ["HOOK-07"],
    describe: "An answer of 500 is taken as final.",
    change: () => ({ webhook: { acknowledges: ({ status }) => status === 200 || status === 500 } }),
  },
  {
    name: "webhook/dropped-connection-ends-it",
    breaks: ["HOOK-07"],
    describe: "A call whose connection is dropped is not repeated.",
    change: () => ({
      webhook: { acknowledges: ({ status, failure }) => status === 200 || failure === "dropped" },
    }),
  },
  {
    name: "webhook/refused-connection-ends-it",
    breaks: ["HOOK-07"],
    describe: "A call whose connection is refused is not repeated.",
    change: () => ({
      webhook: { acknowledges: ({ status, failure }) => status === 200 || failure === "refused" },
    }),
  },
  {
    name: "webhook/silence-ends-it",
    breaks: ["HOOK-07"],
    describe: "A call that is never answered is not repeated.",
    change: () => ({
      webhook: { acknowledges: ({ status, failure }) => status === 200 || failure === "silent" },
    }),
  },
  {
    name: "webhook/keeps-the-worker",
    breaks: ["HOOK-09"],
    describe: "A worker is busy until the webhook of its job is acknowledged or given up.",
    change: () => ({ webhook: { keepsWorker: () => true } }),
  },
  {
    name: "webhook/failure-fails-the-job",
    breaks: ["HOOK-09"],
    describe: "A job whose webhook was never acknowledged becomes FAILED.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "webhook-given-up" ? "FAILED" : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "webhook/failure-drops-the-output",
    breaks: ["HOOK-09"],
    describe: "A job whose webhook was never acknowledged loses its output.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) => {
          if (event === "webhook-given-up") job.output = undefined;
          return lifecycle.next(job, event);
        },
      },
    }),
  },
];

/** Sees no success of a job whose connection was dropped before. */
function afterDrop(
  acknowledges: WebhookBehaviour["acknowledges"],
): WebhookBehaviour["acknowledges"] {
  const dropped = new Set<string>();
  return (outcome) => {
    if (outcome.failure === "dropped") dropped.add(outcome.job.id);
    return !dropped.has(outcome.job.id) && acknowledges(outcome);
  };
}

import type { WebhookBehaviour } from "../behaviour/webhook.ts";
import type { Fault } from "../fault.ts";
import { webhookAttemptFaults } from "./webhook-attempts.ts";

/** Faults of webhooks: whether they are called, and what they bring. */
export const webhookFaults: readonly Fault[] = [
  {
    name: "webhook/silent-after-runsync",
    breaks: ["HOOK-01"],
    describe: "The webhook of a runsync job is never called.",
    change: ({ webhook }) => ({
      webhook: { isCalledFor: (job) => job.submittedBy === "run" && webhook.isCalledFor(job) },
    }),
  },
  {
    name: "webhook/silent-after-run",
    breaks: ["HOOK-01"],
    describe: "The webhook of a run job is never called.",
    change: ({ webhook }) => ({
      webhook: { isCalledFor: (job) => job.submittedBy === "runsync" && webhook.isCalledFor(job) },
    }),
  },
  {
    name: "webhook/silent-after-a-retry",
    breaks: ["HOOK-01"],
    describe: "A job that completes after a retry calls no webhook.",
    change: ({ webhook }) => ({
      webhook: { isCalledFor: (job) => job.attempt === 1 && webhook.isCalledFor(job) },
    }),
  },
  {
    name: "webhook/silent-after-the-wait",
    breaks: ["HOOK-01"],
    describe: "A runsync job that outlasts its wait calls no webhook.",
    change: ({ webhook }) => ({
      webhook: {
        isCalledFor: (job) =>
          webhook.isCalledFor(job) &&
          (job.submittedBy === "run" || (job.finishedAtMs ?? 0) - job.submittedAtMs <= job.waitMs),
      },
    }),
  },
  {
    name: "webhook/url-loses-its-query",
    breaks: ["HOOK-01"],
    describe: "The webhook is called without the query of its URL.",
    change: () => ({ webhook: { url: (job) => job.submission.webhook?.replace(/\?.*$/, "") } }),
  },
  {
    name: "webhook/put",
    breaks: ["HOOK-01"],
    describe: "The webhook gets a PUT.",
    change: () => ({ webhook: { method: () => "PUT" } }),
  },
  {
    name: "webhook/called-twice-at-once",
    breaks: ["HOOK-01", "HOOK-08"],
    describe: "A job calls its webhook when a worker takes it and again when it ends.",
    change: () => ({ webhook: { isCalledAtStart: () => true } }),
  },
  {
    name: "webhook/called-when-runsync-starts",
    breaks: ["HOOK-08"],
    describe: "The webhook of a runsync job is called when a worker takes the job.",
    change: () => ({ webhook: { isCalledAtStart: (job) => job.submittedBy === "runsync" } }),
  },
  {
    name: "webhook/one-url-for-all",
    breaks: ["HOOK-01", "HOOK-02"],
    describe: "Every second job calls the webhook of the job before it.",
    change: () => ({
      webhook: { url: alternately((job, previousUrl) => previousUrl ?? job.submission.webhook) },
    }),
  },
  {
    name: "webhook/remembers-the-last-url",
    breaks: ["HOOK-08"],
    describe: "A job without a webhook calls the one that was called last.",
    change: () => ({
      webhook: { url: (job, previousUrl) => job.submission.webhook ?? previousUrl },
    }),
  },
  {
    name: "webhook/tells-a-completion-of-cancelled-work",
    breaks: ["HOOK-02", "HOOK-08"],
    describe: "A cancelled job calls its webhook and says COMPLETED.",
    change: ({ webhook }) => ({
      webhook: {
        isCalledFor: (job) => job.status === "CANCELLED" || webhook.isCalledFor(job),
        body: (record, { status }) =>
          status === "CANCELLED" ? { ...record, status: "COMPLETED" } : record,
      },
    }),
  },
  {
    name: "webhook/body-without-output",
    breaks: ["HOOK-02"],
    describe: "The call brings the record without its output.",
    change: () => ({ webhook: { body: ({ output: _output, ...rest }) => rest } }),
  },
  {
    name: "webhook/body-without-times",
    breaks: ["HOOK-02"],
    describe: "The call brings neither delayTime nor executionTime.",
    change: () => ({ webhook: { body: ({ id, status, output }) => ({ id, status, output }) } }),
  },
  {
    name: "webhook/body-still-in-progress",
    breaks: ["HOOK-02"],
    describe: "The call brings the status from before the job's end.",
    change: () => ({ webhook: { body: (record) => ({ ...record, status: "IN_PROGRESS" }) } }),
  },
  {
    name: "webhook/body-empty-on-repetition",
    breaks: ["HOOK-02"],
    describe: "A repeated call brings an empty object.",
    change: () => ({ webhook: { body: (record, _job, attempt) => (attempt === 1 ? record : {}) } }),
  },
  {
    name: "webhook/body-loses-its-output-on-the-third-attempt",
    breaks: ["HOOK-02"],
    describe: "The third call brings the record without its output.",
    change: () => ({
      webhook: {
        body: (record, _job, attempt) => (attempt === 3 ? { ...record, output: null } : record),
      },
    }),
  },
  {
    name: "webhook/body-encoded-twice",
    breaks: ["HOOK-02"],
    describe: "The call brings the record as a JSON string inside JSON.",
    change: () => ({ webhook: { body: (record) => JSON.stringify(record) } }),
  },
  {
    name: "webhook/body-times-in-seconds",
    breaks: ["HOOK-02"],
    describe: "The call brings executionTime in seconds while status has milliseconds.",
    change: () => ({
      webhook: {
        body: (record) => ({ ...record, executionTime: Number(record["executionTime"]) / 1_000 }),
      },
    }),
  },
  {
    name: "webhook/body-without-large-output",
    breaks: ["HOOK-02"],
    describe: "An output of more than 64 kB is left out of the call.",
    change: () => ({
      webhook: {
        body: (record) =>
          JSON.stringify(record).length > 65_536 ? { ...record, output: null } : record,
      },
    }),
  },
  {
    name: "webhook/body-first-element-only",
    breaks: ["HOOK-02"],
    describe: "Of an output that is an array the call brings the first element.",
    change: () => ({
      webhook: {
        body: (record) => {
          const { output } = record;
          return Array.isArray(output) ? { ...record, output: output.slice(0, 1) } : record;
        },
      },
    }),
  },
  ...webhookAttemptFaults,
];

/** Uses the wrong URL for every second job. */
function alternately(wrong: WebhookBehaviour["url"]): WebhookBehaviour["url"] {
  const wronged = new Map<string, boolean>();
  return (job, previousUrl) => {
    const isWronged = wronged.get(job.id) ?? wronged.size % 2 === 1;
    wronged.set(job.id, isWronged);
    return isWronged ? wrong(job, previousUrl) : job.submission.webhook;
  };
}

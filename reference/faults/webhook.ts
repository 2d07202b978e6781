import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";
import { hasWaited, is, isRetried, isRun, isRunsync } from "./builders/conditions.ts";
import { faultsOf } from "./builders/faults-of.ts";
import { all, also, except, remembering, replace, result } from "./builders/member.ts";

/** Bugs in whether webhooks are called, and in what they bring. */
export const webhookFaults: readonly Fault[] = faultsOf({
  "webhook/silent-after-runsync": {
    breaks: ["HOOK-01"],
    describe: "The webhook of a runsync job is never called.",
    change: except("webhook.isCalledFor", isRunsync),
  },
  "webhook/silent-after-run": {
    breaks: ["HOOK-01"],
    describe: "The webhook of a run job is never called.",
    change: except("webhook.isCalledFor", isRun),
  },
  "webhook/silent-after-a-retry": {
    breaks: ["HOOK-01"],
    describe: "A job that completes after a retry calls no webhook.",
    change: except("webhook.isCalledFor", isRetried),
  },
  "webhook/silent-after-the-wait": {
    breaks: ["HOOK-01"],
    describe: "A runsync job that outlasts its wait calls no webhook.",
    change: except(
      "webhook.isCalledFor",
      (job) => isRunsync(job) && (job.finishedAtMs ?? 0) - job.submittedAtMs > job.waitMs,
    ),
  },
  "webhook/url-loses-its-query": {
    breaks: ["HOOK-01"],
    describe: "The webhook is called without the query of its URL.",
    change: () => ({ webhook: { url: (job) => job.submission.webhook?.replace(/\?.*$/, "") } }),
  },
  "webhook/put": {
    breaks: ["HOOK-01"],
    describe: "The webhook gets a PUT.",
    change: () => ({ webhook: { method: () => "PUT" } }),
  },
  "webhook/called-twice-at-once": {
    breaks: ["HOOK-01", "HOOK-08"],
    describe: "A job calls its webhook when a worker takes it and again when it ends.",
    change: () => ({ webhook: { isCalledAtStart: () => true } }),
  },
  "webhook/called-when-runsync-starts": {
    breaks: ["HOOK-08"],
    describe: "The webhook of a runsync job is called when a worker takes the job.",
    change: () => ({ webhook: { isCalledAtStart: (job) => job.submittedBy === "runsync" } }),
  },
  "webhook/one-url-for-all": {
    breaks: ["HOOK-01", "HOOK-02"],
    describe: "Every second job calls the webhook of the job before it.",
    change: remembering(
      () => new Map<Job, boolean>(),
      (wronged) =>
        result("webhook.url", (url, job, previousUrl) => {
          const isWronged = wronged.get(job) ?? wronged.size % 2 === 1;
          wronged.set(job, isWronged);
          return isWronged ? (previousUrl ?? url) : url;
        }),
    ),
  },
  "webhook/remembers-the-last-url": {
    breaks: ["HOOK-08"],
    describe: "A job without a webhook calls the one that was called last.",
    change: result("webhook.url", (url, _job, previousUrl) => url ?? previousUrl),
  },
  "webhook/tells-a-completion-of-cancelled-work": {
    breaks: ["HOOK-02", "HOOK-08"],
    describe: "A cancelled job calls its webhook and says COMPLETED.",
    change: all(
      also("webhook.isCalledFor", is("CANCELLED")),
      result("webhook.body", (body, record, job) =>
        job.status === "CANCELLED" ? { ...record, status: "COMPLETED" } : body,
      ),
    ),
  },
  "webhook/body-without-output": {
    breaks: ["HOOK-02"],
    describe: "The call brings the record without its output.",
    change: () => ({ webhook: { body: ({ output: _output, ...rest }) => rest } }),
  },
  "webhook/body-without-times": {
    breaks: ["HOOK-02"],
    describe: "The call brings neither delayTime nor executionTime.",
    change: () => ({ webhook: { body: ({ id, status, output }) => ({ id, status, output }) } }),
  },
  "webhook/body-still-in-progress": {
    breaks: ["HOOK-02"],
    describe: "The call brings the status from before the job's end.",
    change: () => ({ webhook: { body: (record) => ({ ...record, status: "IN_PROGRESS" }) } }),
  },
  "webhook/body-empty-on-repetition": {
    breaks: ["HOOK-02"],
    describe: "A repeated call brings an empty object.",
    change: () => ({ webhook: { body: (record, _job, attempt) => (attempt === 1 ? record : {}) } }),
  },
  "webhook/body-loses-its-output-on-the-third-attempt": {
    breaks: ["HOOK-02"],
    describe: "The third call brings the record without its output.",
    change: replace("webhook.body", (record, _job, attempt) =>
      attempt === 3 ? { ...record, output: null } : record,
    ),
  },
  "webhook/body-encoded-twice": {
    breaks: ["HOOK-02"],
    describe: "The call brings the record as a JSON string inside JSON.",
    change: () => ({ webhook: { body: (record) => JSON.stringify(record) } }),
  },
  "webhook/body-times-in-seconds": {
    breaks: ["HOOK-02"],
    describe: "The call brings executionTime in seconds while status has milliseconds.",
    change: replace("webhook.body", (record) => ({
      ...record,
      executionTime: Number(record["executionTime"]) / 1_000,
    })),
  },
  "webhook/body-without-large-output": {
    breaks: ["HOOK-02"],
    describe: "An output of more than 64 kB is left out of the call.",
    change: replace("webhook.body", (record) =>
      JSON.stringify(record).length > 65_536 ? { ...record, output: null } : record,
    ),
  },
  "webhook/body-first-element-only": {
    breaks: ["HOOK-02"],
    describe: "Of an output that is an array the call brings the first element.",
    change: replace("webhook.body", ({ output, ...rest }) => ({
      ...rest,
      output: Array.isArray(output) ? output.slice(0, 1) : output,
    })),
  },
  "webhook/silent-after-the-queue": {
    breaks: ["HOOK-01"],
    describe: "A job that waited in the queue calls no webhook.",
    change: except("webhook.isCalledFor", hasWaited),
  },
  "webhook/silent-after-a-stream": {
    breaks: ["HOOK-01"],
    describe: "A job that yielded chunks calls no webhook.",
    change: except("webhook.isCalledFor", ({ chunks }) => chunks.length > 0),
  },
  "webhook/found-inside-the-input": {
    breaks: ["HOOK-08"],
    describe: "Where the field is missing a member of the input of the same name is called.",
    change: result(
      "webhook.url",
      (url, { submission: { input } }) =>
        url ?? (typeof input["webhook"] === "string" ? input["webhook"] : undefined),
    ),
  },
});

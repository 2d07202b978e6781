import type { Fault } from "../../reference/faults.ts";
import type { Job } from "../../reference/job.ts";
import { inCall } from "./builders/answers.ts";
import { inBody, inTexts } from "./builders/carried.ts";
import { all, fault, remembering } from "./builders/compose.ts";
import { is } from "./builders/conditions.ts";
import { hasEmptyList, hasLargeOutput, hasStreamed, hasOutlastedItsWait } from "./builders/jobs.ts";
import { afterBreakingOff, afterPurge } from "./builders/marks.ts";
import { also, type Change, except, replace, result, whenever } from "./builders/member.ts";

/** Bugs in whether webhooks are called, and in what they bring. */
export const webhookFaults: readonly Fault[] = [
  fault("webhook/silent-after-the-wait", ["HOOK-01"], {
    describe: "A runsync job that outlasts its wait calls no webhook.",
    change: except("webhook.isCalledFor", hasOutlastedItsWait),
  }),
  fault("webhook/url-loses-its-query", ["HOOK-01"], {
    describe: "The webhook is called without the query of its URL.",
    change: () => ({ webhook: { url: (job) => job.submission.webhook?.replace(/\?.*$/, "") } }),
  }),
  fault("webhook/put", ["HOOK-01"], {
    describe: "The webhook gets a PUT.",
    change: () => ({ webhook: { method: () => "PUT" } }),
  }),
  fault("webhook/called-twice-at-once", ["HOOK-01", "HOOK-08"], {
    describe: "A job calls its webhook when a worker takes it and again when it ends.",
    change: () => ({ webhook: { isCalledAtStart: () => true } }),
  }),
  fault("webhook/called-when-runsync-starts", ["HOOK-08"], {
    describe: "The webhook of a runsync job is called when a worker takes the job.",
    change: () => ({ webhook: { isCalledAtStart: (job) => job.submittedBy === "runsync" } }),
  }),
  fault("webhook/one-url-for-all", ["HOOK-01", "HOOK-02"], {
    describe: "Every second job calls the webhook of the job before it.",
    change: remembering(new Map<Job, boolean>(), (wronged) =>
      result("webhook.url", (url, job, previousUrl) => {
        const isWronged = wronged.get(job) ?? wronged.size % 2 === 1;
        wronged.set(job, isWronged);
        return isWronged ? (previousUrl ?? url) : url;
      }),
    ),
  }),
  fault("webhook/remembers-the-last-url", ["HOOK-08"], {
    describe: "A job without a webhook calls the one that was called last.",
    change: result("webhook.url", (url, _job, previousUrl) => url ?? previousUrl),
  }),
  fault("webhook/tells-a-completion-of-cancelled-work", ["HOOK-02", "HOOK-08"], {
    describe: "A cancelled job calls its webhook and says COMPLETED.",
    change: all(
      also("webhook.isCalledFor", is("CANCELLED")),
      inCall({ status: "COMPLETED" }, is("CANCELLED")),
    ),
  }),
  fault("webhook/body-without-output", ["HOOK-02"], {
    describe: "The call brings the record without its output.",
    change: () => ({ webhook: { body: ({ output: _output, ...rest }) => rest } }),
  }),
  fault("webhook/body-without-times", ["HOOK-02"], {
    describe: "The call brings neither delayTime nor executionTime.",
    change: () => ({ webhook: { body: ({ id, status, output }) => ({ id, status, output }) } }),
  }),
  fault("webhook/body-still-in-progress", ["HOOK-02"], {
    describe: "The call brings the status from before the job's end.",
    change: () => ({ webhook: { body: (record) => ({ ...record, status: "IN_PROGRESS" }) } }),
  }),
  fault("webhook/body-empty-on-repetition", ["HOOK-02"], {
    describe: "A repeated call brings an empty object.",
    change: () => ({ webhook: { body: (record, _job, attempt) => (attempt === 1 ? record : {}) } }),
  }),
  fault("webhook/body-loses-its-output-on-the-third-attempt", ["HOOK-02"], {
    describe: "The third call brings the record without its output.",
    change: inCall({ output: null }, (_job, attempt) => attempt === 3),
  }),
  fault("webhook/body-encoded-twice", ["HOOK-02"], {
    describe: "The call brings the record as a JSON string inside JSON.",
    change: () => ({ webhook: { body: (record) => JSON.stringify(record) } }),
  }),
  fault("webhook/body-times-in-seconds", ["HOOK-02"], {
    describe: "The call brings executionTime in seconds while status has milliseconds.",
    change: replace("webhook.body", (record) => ({
      ...record,
      executionTime: Number(record["executionTime"]) / 1_000,
    })),
  }),
  fault("webhook/body-without-large-output", ["HOOK-02"], {
    describe: "An output of more than 64 kB is left out of the call.",
    change: replace("webhook.body", (record) =>
      JSON.stringify(record).length > 65_536 ? { ...record, output: null } : record,
    ),
  }),
  fault("webhook/body-first-element-only", ["HOOK-02"], {
    describe: "Of an output that is an array the call brings the first element.",
    change: replace("webhook.body", ({ output, ...rest }) => ({
      ...rest,
      output: Array.isArray(output) ? output.slice(0, 1) : output,
    })),
  }),
  fault("webhook/silent-after-a-stream", ["HOOK-01"], {
    describe: "A job that yielded chunks calls no webhook.",
    change: except("webhook.isCalledFor", hasStreamed),
  }),
  fault("webhook/found-inside-the-input", ["HOOK-08"], {
    describe: "Where the field is missing a member of the input of the same name is called.",
    change: result(
      "webhook.url",
      (url, { submission: { input } }) =>
        url ?? (typeof input["webhook"] === "string" ? input["webhook"] : undefined),
    ),
  }),
  fault("webhook/url-has-255-characters", ["HOOK-01"], {
    describe: "The URL of a webhook is cut after 255 characters.",
    change: result("webhook.url", (url) => url?.slice(0, 255)),
  }),
  fault("webhook/body-escapes-markup", ["HOOK-02"], {
    describe: "The call brings < and & of the output as a page of HTML would write them.",
    change: inTexts((text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")),
  }),
  fault("webhook/body-loses-nul", ["HOOK-02"], {
    describe: "The call brings the output without its NUL characters.",
    change: inTexts((text) => text.replaceAll("\0", "")),
  }),
  fault("webhook/body-reads-percent-escapes", ["HOOK-02"], {
    describe: "The call brings what stands behind % in the output as the character it encodes.",
    change: inTexts((text) => text.replaceAll("%41", "A")),
  }),
  fault("webhook/body-has-integers-of-32-bits", ["HOOK-02"], {
    describe: "Of an integer in the output the call brings the lowest 32 bits.",
    change: inBody((value) => (Number.isInteger(value) ? Number(value) | 0 : value)),
  }),
  fault("webhook/body-has-20-levels", ["HOOK-02"], {
    describe: "What lies deeper than 20 levels in the body of a call is null.",
    change: inBody((value, level) => (level > 20 ? null : value)),
  }),
  fault("webhook/silent-after-a-megabyte", ["HOOK-01"], {
    describe: "A job with an output of more than 1 MB calls no webhook.",
    change: except("webhook.isCalledFor", hasLargeOutput),
  }),
  fault("webhook/large-body-comes-once", ["HOOK-02"], {
    describe: "A repeated call leaves out an output of more than 1 MB.",
    change: inCall({ output: null }, (job, attempt) => attempt > 1 && hasLargeOutput(job)),
  }),
  fault("webhook/url-has-plus-for-a-space", ["HOOK-01"], {
    describe: "The query of the URL is read as a form and written anew: %20 becomes +.",
    change: result("webhook.url", (url) => url?.replaceAll("%20", "+")),
  }),
  fault("webhook/url-is-decoded", ["HOOK-01"], {
    describe: "What the URL encodes is decoded, but for what would divide it.",
    change: result("webhook.url", (url) => (url === undefined ? url : decodeURI(url))),
  }),
  fault("webhook/silent-without-chunks", ["HOOK-01"], {
    describe: "A job whose output is an empty array calls no webhook.",
    change: except("webhook.isCalledFor", hasEmptyList),
  }),
  fault("webhook/given-up-url-is-not-called-again", ["HOOK-01"], {
    describe: "A URL whose calls were given up is called for no other job.",
    change: withUrls(
      ({ status, attempt }) => status !== 200 && attempt === 3,
      (isListed) => except("webhook.isCalledFor", isListed),
    ),
  }),
  fault("webhook/gone-url-is-not-called-again", ["HOOK-01"], {
    describe: "A URL that has answered 410 is called for no other job.",
    change: withUrls(
      ({ status }) => status === 410,
      (isListed) => except("webhook.isCalledFor", isListed),
    ),
  }),
  fault("webhook/silent-after-a-purge", ["HOOK-01"], {
    describe: "A job that was in progress during a purge calls no webhook.",
    change: afterPurge(is("IN_PROGRESS"), (wasThere) => except("webhook.isCalledFor", wasThere)),
  }),
  fault("webhook/silent-where-the-client-is-gone", ["HOOK-01"], {
    describe: "A runsync job whose client broke off calls no webhook.",
    change: afterBreakingOff((isAbandoned) => except("webhook.isCalledFor", isAbandoned)),
  }),
  fault("webhook/called-when-a-worker-is-lost", ["HOOK-08"], {
    describe: "A worker taking the job of a crashed one calls its webhook.",
    change: also("webhook.isCalledAtStart", ({ dispatches }) => dispatches > 0),
  }),
  fault("webhook/called-when-a-second-retry-starts", ["HOOK-08"], {
    describe: "A worker taking a job that was retried twice calls its webhook.",
    change: also("webhook.isCalledAtStart", ({ attempt }) => attempt > 2),
  }),
];

/** A change that knows whether the URL of a job has had an outcome after which it may be given up. */
function withUrls(
  isFinal: (outcome: { status: number | undefined; attempt: number }) => boolean,
  use: (isListed: (job: Job) => boolean) => Change,
): Change {
  return remembering(new Set<string>(), (listed) => [
    whenever("webhook.acknowledges", ({ status, attempt, job }) => {
      if (isFinal({ status, attempt })) listed.add(job.submission.webhook ?? "");
    }),
    use((job) => listed.has(job.submission.webhook ?? "")),
  ]);
}

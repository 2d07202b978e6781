import { isJsonObject } from "../../reference/behaviour/submission.ts";
import type { Fault } from "../../reference/faults.ts";
import type { Job, JsonObject } from "../../reference/job.ts";
import { inAnswerAbout, inRecord, wholeAnswer } from "./builders/answers.ts";
import { inConfig, leakOf, withLeak } from "./builders/carried.ts";
import { all, fault, remembering } from "./builders/compose.ts";
import { always, both, is } from "./builders/conditions.ts";
import { atEvent } from "./builders/events.ts";
import { isRetried, hasStorage } from "./builders/jobs.ts";
import { marking } from "./builders/marks.ts";
import { also, type Change, replace, result, whenever, withArguments } from "./builders/member.ts";

/** Bugs in what becomes of a job's s3Config. */
export const s3Faults: readonly Fault[] = [
  fault("s3/bucket-name-is-lost", ["S3CF-01"], {
    describe: "s3Config reaches the worker without its bucketName.",
    change: handingConfig((config) => ({ ...config, bucketName: undefined })),
  }),
  fault("s3/secret-is-made-plain-ascii", ["S3CF-01"], {
    describe:
      "Every character of accessSecret outside ASCII reaches the worker as a question mark.",
    change: handingConfig((config, job) => ({
      ...config,
      accessSecret: secretOf(job).replaceAll(/[^\u0020-\u007E]/g, "?"),
    })),
  }),
  fault("s3/config-of-the-latest-job", ["S3CF-01"], {
    describe: "The worker gets the s3Config that was submitted last, whosever it is.",
    change: remembering<{ latest?: JsonObject }>({}, (memory) => [
      whenever("submission.acceptsS3Config", (value) => {
        if (isJsonObject(value)) memory.latest = value;
      }),
      replace("lifecycle.handlerS3Config", () => memory.latest),
    ]),
  }),
  fault("s3/status-of-a-failed-job-shows-the-config", ["S3CF-02"], {
    describe: "status of a FAILED job holds its s3Config.",
    change: inRecord(leakOf, is("FAILED")),
  }),
  fault("s3/record-holds-the-config-in-base64", ["S3CF-02"], {
    describe: "The record of a completed job holds its s3Config in base64.",
    change: inRecord(
      (job) => ({ storage: Buffer.from(JSON.stringify(leakOf(job))).toString("base64") }),
      both(is("COMPLETED"), hasStorage),
    ),
  }),
  fault("s3/error-escapes-the-secret", ["S3CF-02"], {
    describe: "The error of a failed job holds its accessSecret with every character escaped.",
    change: result("lifecycle.keptError", (message, _given, job) =>
      job.status === "FAILED" ? message + escaped(secretOf(job)) : message,
    ),
  }),
  fault("s3/error-shows-the-secret", ["S3CF-02"], {
    describe: "The error of a job that timed out holds its accessSecret.",
    change: result("lifecycle.keptError", (message, _given, job) =>
      job.status === "TIMED_OUT" ? `${message} (${secretOf(job)})` : message,
    ),
  }),
  fault("s3/queued-job-shows-the-config", ["S3CF-02"], {
    describe: "status of a job that waits holds s3Config, its secret made unreadable.",
    change: inRecord({ s3Config: { accessSecret: "hidden" } }, both(is("IN_QUEUE"), hasStorage)),
  }),
  fault("s3/stream-shows-the-secret", ["S3CF-02"], {
    describe: "Each element of a stream names the job's accessSecret.",
    change: wholeAnswer("stream", (body, job) =>
      job !== undefined && Array.isArray(body)
        ? body.map((element: unknown) => Object.assign({ storage: secretOf(job) }, element))
        : body,
    ),
  }),
  fault("s3/cancel-shows-the-config", ["S3CF-02"], {
    describe: "The answers of cancel and retry hold s3Config.",
    change: all(
      inAnswerAbout("cancel", always, (body, job) => ({ ...body, submission: leakOf(job) })),
      inAnswerAbout("retry", always, (body, job) => ({ ...body, submission: leakOf(job) })),
    ),
  }),
  fault("s3/refusal-shows-the-secret", ["S3CF-02"], {
    describe: "A 400 names the accessSecret it was sent.",
    change: remembering({ latest: "" }, (memory) => [
      whenever("submission.acceptsS3Field", (value, field) => {
        if (field === "accessSecret") memory.latest = String(value);
      }),
      inRefusals((detail) => `${detail} ${memory.latest}`),
    ]),
  }),
  fault("s3/repeated-webhook-shows-the-secret", ["S3CF-02"], {
    describe: "The webhook's third attempt holds the accessSecret.",
    change: replace("webhook.body", (record, job, attempt) =>
      attempt === 3 ? { ...record, storage: secretOf(job) } : record,
    ),
  }),
  fault("s3/config-may-be-a-string-on-runsync", ["S3CF-03"], {
    describe: "runsync accepts an s3Config that is a string.",
    change: also(
      "submission.acceptsS3Config",
      (value, operation) => operation === "runsync" && typeof value === "string",
    ),
  }),
  fault("s3/endpoint-url-is-not-looked-at", ["S3CF-03"], {
    describe: "An endpointUrl that is no string is accepted.",
    change: also("submission.acceptsS3Field", (_value, field) => field === "endpointUrl"),
  }),
  fault("s3/access-id-may-be-a-number", ["S3CF-03"], {
    describe: "An accessId that is a number is accepted.",
    change: also(
      "submission.acceptsS3Field",
      (value, field) => field === "accessId" && typeof value === "number",
    ),
  }),
  fault("s3/obituary-tells-the-secret", ["S3CF-02"], {
    describe: "What is answered about a job whose ttl ran out tells its s3Config.",
    change: tellingConfigsAfter("ttl-ran-out"),
  }),
  fault("s3/status-that-sets-a-ttl-shows-the-config", ["S3CF-02"], {
    describe: "The answer of status to a request that sets a ttl holds s3Config.",
    change: remembering<{ asked?: Job | undefined }>({}, (memory) => [
      whenever("operations.ttlEndsAtMs", (_ttlMs, job) => void (memory.asked = job)),
      inAnswerAbout(
        "status",
        (job) => job === memory.asked,
        (body, job) => {
          memory.asked = undefined;
          return withLeak(body, job);
        },
      ),
    ]),
  }),
  fault("s3/completed-retry-shows-the-config", ["S3CF-02"], {
    describe: "The record of a job that completed after a retry holds its s3Config.",
    change: inRecord(leakOf, both(is("COMPLETED"), isRetried)),
  }),
  fault("s3/status-after-failed-calls-shows-the-config", ["S3CF-02"], {
    describe: "status of a job whose webhook was called more than once holds its s3Config.",
    change: marking(
      (mark) =>
        whenever("webhook.body", (_record, job, attempt) => void (attempt > 1 && mark(job))),
      (wasRepeated) => inAnswerAbout("status", wasRepeated, withLeak),
    ),
  }),
  fault("s3/endpoint-url-loses-its-last-slash", ["S3CF-01"], {
    describe: "The worker is given an endpointUrl without the slash at its end.",
    change: handingConfig(({ endpointUrl, ...config }) => ({
      ...config,
      endpointUrl: typeof endpointUrl === "string" ? endpointUrl.replace(/\/$/u, "") : endpointUrl,
    })),
  }),
  fault("s3/values-have-255-characters", ["S3CF-01"], {
    describe: "The values of an s3Config are cut after 255 characters.",
    change: inConfig((value) => value.slice(0, 255)),
  }),
  fault("s3/malformed-body-is-quoted", ["S3CF-02"], {
    describe: "The refusal of a body that is not JSON quotes it.",
    change: remembering({ text: "" }, (memory) => [
      whenever("submission.parse", (text) => void (memory.text = text)),
      inRefusals((detail) =>
        detail.includes("must be a JSON object") ? `${detail}: ${memory.text}` : detail,
      ),
    ]),
  }),
  fault("s3/wrong-secret-is-quoted", ["S3CF-02"], {
    describe: "The refusal of a field of s3Config that is no string quotes its value.",
    change: remembering({ quoted: "" }, (memory) => [
      whenever("submission.acceptsS3Field", (value) => {
        if (typeof value !== "string") memory.quoted = JSON.stringify(value);
      }),
      inRefusals((detail) => `${detail} ${memory.quoted}`),
    ]),
  }),
  fault("s3/webhook-of-a-timeout-shows-the-config", ["S3CF-02"], {
    describe: "The call that tells of a job that timed out holds its s3Config.",
    change: leakInCalls(is("TIMED_OUT")),
  }),
  fault("s3/webhook-of-a-retry-shows-the-config", ["S3CF-02"], {
    describe: "The webhook of a retried job brings its s3Config.",
    change: leakInCalls(isRetried),
  }),
  fault("s3/obituary-of-a-result-tells-the-config", ["S3CF-02"], {
    describe: "What is answered about a job whose retention is over tells its s3Config.",
    change: tellingConfigsAfter("retention-ended"),
  }),
];

function secretOf(job: Job): string {
  const secret = job.submission.s3Config?.["accessSecret"];
  return typeof secret === "string" ? secret : "";
}

function escaped(text: string): string {
  return Array.from(text, (each) => `&#${String(each.codePointAt(0))};`).join("");
}

/** Gives the worker another s3Config where the job has one. */
function handingConfig(change: (config: JsonObject, job: Job) => JsonObject): Change {
  return result("lifecycle.handlerS3Config", (config, job) =>
    config === undefined ? undefined : change(config, job),
  );
}

function leakInCalls(condition: (job: Job) => boolean): Change {
  return result("webhook.body", (body, record, job) =>
    condition(job) && hasStorage(job) ? { ...record, s3Config: job.submission.s3Config } : body,
  );
}

/** Changes what an answer of 400 says in detail. */
function inRefusals(change: (detail: string) => string): Change {
  return withArguments("operations.errorBody", (status, title, detail) => [
    status,
    title,
    status === 400 ? change(detail) : detail,
  ]);
}

/** What is answered about a job that is gone since this event tells its s3Config. */
function tellingConfigsAfter(event: "ttl-ran-out" | "retention-ended"): Change {
  return remembering({ configs: new Map<string, unknown>(), asked: "" }, (memory) => [
    atEvent(event, ({ id, submission }) => void memory.configs.set(id, submission.s3Config)),
    whenever("operations.unknownJobStatus", (_operation, jobId) => void (memory.asked = jobId)),
    replace("operations.errorBody", (status, title, detail) => ({
      status,
      title,
      detail,
      of: memory.configs.get(memory.asked),
    })),
  ]);
}

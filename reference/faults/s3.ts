import { isJsonObject } from "../behaviour/submission.ts";
import type { Fault } from "../fault.ts";
import type { Job, JsonObject } from "../job.ts";

/** A job's s3Config, as something that an answer might carry by mistake. */
function leakOf(job: Job | undefined): JsonObject {
  return job?.submission.s3Config === undefined ? {} : { s3Config: job.submission.s3Config };
}

function secretOf(job: Job): string {
  const secret = job.submission.s3Config?.["accessSecret"];
  return typeof secret === "string" ? secret : "";
}

export const s3Faults: readonly Fault[] = [
  {
    name: "s3/config-stays-with-the-service",
    breaks: ["S3CF-01"],
    describe: "s3Config does not reach the worker.",
    change: () => ({ lifecycle: { handlerS3Config: () => undefined } }),
  },
  {
    name: "s3/config-of-runsync-stays-with-the-service",
    breaks: ["S3CF-01"],
    describe: "s3Config of a runsync job does not reach the worker.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        handlerS3Config: (job) =>
          job.submittedBy === "runsync" ? undefined : lifecycle.handlerS3Config(job),
      },
    }),
  },
  {
    name: "s3/bucket-name-is-lost",
    breaks: ["S3CF-01"],
    describe: "s3Config reaches the worker without its bucketName.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        handlerS3Config: (job) => {
          const config = lifecycle.handlerS3Config(job);
          return config === undefined ? undefined : { ...config, bucketName: undefined };
        },
      },
    }),
  },
  {
    name: "s3/secret-is-made-plain-ascii",
    breaks: ["S3CF-01"],
    describe:
      "Every character of accessSecret outside ASCII reaches the worker as a question mark.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        handlerS3Config: (job) => {
          const config = lifecycle.handlerS3Config(job);
          if (config === undefined) return undefined;
          const accessSecret = secretOf(job).replaceAll(/[^\u0020-\u007E]/g, "?");
          return { ...config, accessSecret };
        },
      },
    }),
  },
  {
    name: "s3/config-of-the-latest-job",
    breaks: ["S3CF-01"],
    describe: "The worker gets the s3Config that was submitted last, whosever it is.",
    change: () => {
      let latest: JsonObject | undefined;
      return {
        submission: {
          acceptsS3Config: (value) => {
            if (isJsonObject(value)) latest = value;
            return isJsonObject(value);
          },
        },
        lifecycle: { handlerS3Config: () => latest },
      };
    },
  },
  {
    name: "s3/status-of-a-failed-job-shows-the-config",
    breaks: ["S3CF-02"],
    describe: "status of a FAILED job holds its s3Config.",
    change: ({ operations }) => ({
      operations: {
        record: (job, context) => ({
          ...operations.record(job, context),
          ...(job.status === "FAILED" && leakOf(job)),
        }),
      },
    }),
  },
  {
    name: "s3/error-shows-the-secret",
    breaks: ["S3CF-02"],
    describe: "The error of a job that timed out holds its accessSecret.",
    change: () => ({
      lifecycle: {
        keptError: (message, job) =>
          job.status === "TIMED_OUT" ? `${message} (${secretOf(job)})` : message,
      },
    }),
  },
  {
    name: "s3/runsync-echoes-the-config",
    breaks: ["S3CF-02"],
    describe: "The answer of runsync holds s3Config.",
    change: () => ({
      operations: {
        shape: (body, { operation, job }) =>
          operation === "runsync" && isJsonObject(body) ? { ...body, ...leakOf(job) } : body,
      },
    }),
  },
  {
    name: "s3/queued-job-shows-the-config",
    breaks: ["S3CF-02"],
    describe: "status of a job that waits holds s3Config, its secret made unreadable.",
    change: ({ operations }) => ({
      operations: {
        record: (job, context) => ({
          ...operations.record(job, context),
          ...(job.status === "IN_QUEUE" &&
            job.submission.s3Config !== undefined && { s3Config: { accessSecret: "hidden" } }),
        }),
      },
    }),
  },
  {
    name: "s3/stream-shows-the-secret",
    breaks: ["S3CF-02"],
    describe: "Each element of a stream names the job's accessSecret.",
    change: () => ({
      operations: {
        shape: (body, { operation, job }) =>
          operation === "stream" && job !== undefined && Array.isArray(body)
            ? body.map((element: unknown) => ({
                ...(isJsonObject(element) ? element : {}),
                storage: secretOf(job),
              }))
            : body,
      },
    }),
  },
  {
    name: "s3/cancel-shows-the-config",
    breaks: ["S3CF-02"],
    describe: "The answers of cancel and retry hold s3Config.",
    change: () => ({
      operations: {
        shape: (body, { operation, job }) =>
          (operation === "cancel" || operation === "retry") && isJsonObject(body)
            ? { ...body, submission: leakOf(job) }
            : body,
      },
    }),
  },
  {
    name: "s3/refusal-shows-the-secret",
    breaks: ["S3CF-02"],
    describe: "A 400 names the accessSecret it was sent.",
    change: ({ submission, operations }) => {
      let latest = "";
      return {
        submission: {
          acceptsS3Field: (value, field, operation) => {
            if (field === "accessSecret") latest = String(value);
            return submission.acceptsS3Field(value, field, operation);
          },
        },
        operations: {
          errorBody: (status, title, detail) =>
            operations.errorBody(status, title, status === 400 ? `${detail} ${latest}` : detail),
        },
      };
    },
  },
  {
    name: "s3/webhook-shows-the-config",
    breaks: ["S3CF-02"],
    describe: "The webhook's body holds s3Config.",
    change: () => ({ webhook: { body: (record, job) => ({ ...record, ...leakOf(job) }) } }),
  },
  {
    name: "s3/repeated-webhook-shows-the-secret",
    breaks: ["S3CF-02"],
    describe: "The webhook's third attempt holds the accessSecret.",
    change: () => ({
      webhook: {
        body: (record, job, attempt) =>
          attempt === 3 ? { ...record, storage: secretOf(job) } : record,
      },
    }),
  },
  {
    name: "s3/config-may-be-an-array",
    breaks: ["S3CF-03"],
    describe: "An s3Config that is an array is accepted.",
    change: () => ({
      submission: { acceptsS3Config: (value) => typeof value === "object" && value !== null },
    }),
  },
  {
    name: "s3/config-may-be-a-string-on-runsync",
    breaks: ["S3CF-03"],
    describe: "runsync accepts an s3Config that is a string.",
    change: () => ({
      submission: {
        acceptsS3Config: (value, operation) =>
          isJsonObject(value) || (operation === "runsync" && typeof value === "string"),
      },
    }),
  },
  {
    name: "s3/endpoint-url-is-not-looked-at",
    breaks: ["S3CF-03"],
    describe: "An endpointUrl that is no string is accepted.",
    change: ({ submission }) => ({
      submission: {
        acceptsS3Field: (value, field, operation) =>
          field === "endpointUrl" || submission.acceptsS3Field(value, field, operation),
      },
    }),
  },
  {
    name: "s3/access-id-may-be-a-number",
    breaks: ["S3CF-03"],
    describe: "An accessId that is a number is accepted.",
    change: ({ submission }) => ({
      submission: {
        acceptsS3Field: (value, field, operation) =>
          (field === "accessId" && typeof value === "number") ||
          submission.acceptsS3Field(value, field, operation),
      },
    }),
  },
];

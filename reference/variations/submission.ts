import type { JsonObject } from "../job.ts";
import type { Variation } from "../variation.ts";

/** What is accepted or refused beyond what the specification requires. */
export const submissionVariations: readonly Variation[] = [
  {
    name: "submission/megabytes-are-decimal",
    describe: "10 and 20 MB are 10,000,000 and 20,000,000 bytes.",
    change: () => ({
      submission: {
        payloadBytesMax: (operation) => (operation === "run" ? 10_000_000 : 20_000_000),
      },
    }),
  },
  {
    name: "submission/length-is-demanded",
    describe: "A body in chunks, without its length, answers 411.",
    change: () => ({ submission: { demandsLength: () => true } }),
  },
  {
    name: "submission/unknown-members-are-refused",
    describe: "A submission with a member the specification does not name answers 400.",
    change: ({ submission }) => ({
      submission: {
        bodyOf: (value, operation) => {
          const body = submission.bodyOf(value, operation);
          return body !== undefined && hasOnly(body, bodyMembers) ? body : undefined;
        },
        acceptsPolicy: (value, operation) =>
          submission.acceptsPolicy(value, operation) && hasOnly(value, policyMembers),
        acceptsS3Config: (value, operation) =>
          submission.acceptsS3Config(value, operation) && hasOnly(value, s3Members),
      },
    }),
  },
  {
    name: "submission/null-stands-for-absent",
    describe: "null is accepted for every optional member and every policy value.",
    change: ({ submission }) => ({
      submission: {
        acceptsWebhook: (value, operation) =>
          value === null || submission.acceptsWebhook(value, operation),
        acceptsPolicy: (value, operation) =>
          value === null || submission.acceptsPolicy(value, operation),
        acceptsS3Config: (value, operation) =>
          value === null || submission.acceptsS3Config(value, operation),
        acceptsExecutionTimeout: (value, operation) =>
          value === null || submission.acceptsExecutionTimeout(value, operation),
        acceptsTtl: (value, operation) => value === null || submission.acceptsTtl(value, operation),
        acceptsLowPriority: (value, operation) =>
          value === null || submission.acceptsLowPriority(value, operation),
      },
    }),
  },
  {
    name: "submission/partial-storage-settings-are-refused",
    describe: "An s3Config without all four fields answers 400.",
    change: ({ submission }) => ({
      submission: {
        acceptsS3Config: (value, operation) =>
          submission.acceptsS3Config(value, operation) &&
          s3Members.every((name) => Object.keys(value ?? {}).includes(name)),
      },
    }),
  },
  {
    name: "submission/webhooks-of-any-scheme",
    describe: "A webhook may be a URL of any scheme.",
    change: () => ({
      submission: { acceptsWebhook: (value) => typeof value === "string" && URL.canParse(value) },
    }),
  },
  {
    name: "submission/any-content-type",
    describe: "A submission is read as JSON whatever its content type says.",
    change: () => ({ submission: { acceptsContentType: () => true } }),
  },
];

const bodyMembers = ["input", "webhook", "policy", "s3Config"];
const policyMembers = ["executionTimeout", "lowPriority", "ttl"];
const s3Members = ["accessId", "accessSecret", "bucketName", "endpointUrl"];

function hasOnly(value: unknown, members: readonly string[]): boolean {
  const object: JsonObject = typeof value === "object" ? { ...value } : {};
  return Object.keys(object).every((name) => members.includes(name));
}

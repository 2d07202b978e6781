import { all } from "../faults/builders/compose.ts";
import { also, except, result } from "../faults/builders/member.ts";
import type { JsonObject } from "../../reference/job.ts";
import { variation, type Variation } from "./variation.ts";

/** What is accepted or refused beyond what the specification requires. */
export const submissionVariations: readonly Variation[] = [
  variation("submission/megabytes-are-decimal", {
    describe: "10 and 20 MB are 10,000,000 and 20,000,000 bytes.",
    change: () => ({
      submission: {
        payloadBytesMax: (operation) => (operation === "run" ? 10_000_000 : 20_000_000),
      },
    }),
  }),
  variation("submission/length-is-demanded", {
    describe: "A body in chunks, without its length, answers 411.",
    change: () => ({ submission: { demandsLength: () => true } }),
  }),
  variation("submission/unknown-members-are-refused", {
    describe: "A submission with a member the specification does not name answers 400.",
    change: all(
      result("submission.bodyOf", (body) => (hasOnly(body, bodyMembers) ? body : undefined)),
      except("submission.acceptsPolicy", (value) => !hasOnly(value, policyMembers)),
      except("submission.acceptsS3Config", (value) => !hasOnly(value, s3Members)),
    ),
  }),
  variation("submission/null-stands-for-absent", {
    describe: "null is accepted for every optional member and every policy value.",
    change: all(
      also("submission.acceptsWebhook", isNull),
      also("submission.acceptsPolicy", isNull),
      also("submission.acceptsS3Config", isNull),
      also("submission.acceptsExecutionTimeout", isNull),
      also("submission.acceptsTtl", isNull),
      also("submission.acceptsLowPriority", isNull),
    ),
  }),
  variation("submission/partial-storage-settings-are-refused", {
    describe: "An s3Config without all four fields answers 400.",
    change: except(
      "submission.acceptsS3Config",
      (value) => !s3Members.every((name) => Object.keys(value ?? {}).includes(name)),
    ),
  }),
  variation("submission/webhooks-of-any-scheme", {
    describe: "A webhook may be a URL of any scheme.",
    change: () => ({
      submission: { acceptsWebhook: (value) => typeof value === "string" && URL.canParse(value) },
    }),
  }),
  variation("submission/any-content-type", {
    describe: "A submission is read as JSON whatever its content type says.",
    change: () => ({ submission: { acceptsContentType: () => true } }),
  }),
];

const bodyMembers = ["input", "webhook", "policy", "s3Config"];
const policyMembers = ["executionTimeout", "lowPriority", "ttl"];
const s3Members = ["accessId", "accessSecret", "bucketName", "endpointUrl"];

function isNull(value: unknown): boolean {
  return value === null;
}

function hasOnly(value: unknown, members: readonly string[]): boolean {
  const object: JsonObject = typeof value === "object" ? { ...value } : {};
  return Object.keys(object).every((name) => members.includes(name));
}

import type { OperationRequest } from "./answer.ts";
import type { Behaviour } from "./behaviour.ts";
import { decimal, isJsonObject } from "./behaviour/submission.ts";
import type { JsonObject, Policy, ReceivedSubmission } from "./job.ts";
import type { SubmitOperation } from "../openapi/operations.ts";
import { isTooDeep, tooDeep } from "./read-json.ts";

/** What came of reading a submission: itself, or the problem that refuses it. */
export type SubmissionReading =
  | { readonly submission: ReceivedSubmission; readonly waitMs: number }
  | {
      readonly problem: string;
      readonly status: number;
      /** What the body held, as far as it could be read: a fault may take it in spite of the problem. */
      readonly rejected?: ReceivedSubmission;
    };

export interface RawSubmission extends Pick<
  OperationRequest,
  "contentType" | "isChunked" | "body"
> {
  readonly operation: SubmitOperation;
  /** The `wait` parameter as the query carries it, undefined when absent. */
  readonly wait: unknown;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
const S3_FIELDS = ["accessId", "accessSecret", "bucketName", "endpointUrl"];

/** Reads and checks a submission (docs/specification.md#job-submission-body). */
export function readSubmission(
  raw: RawSubmission,
  { submission: rules }: Behaviour,
): SubmissionReading {
  const { operation, isChunked } = raw;
  if (isChunked && rules.demandsLength(operation)) {
    return { problem: "content-length is missing", status: 411 };
  }
  if (raw.body === undefined) {
    const bytesMax = rules.payloadBytesMax(operation, isChunked);
    const problem = `the payload is larger than ${bytesMax} bytes`;
    return { problem, status: rules.payloadRefusalStatus(operation) };
  }
  const body = rules.received(raw.body, operation, isChunked);
  const around = problemAround(body, raw, rules);
  if (around !== undefined) return refused(around, raw, rules);

  const parsed = parse(body, raw, rules);
  const object = parsed === undefined ? undefined : rules.bodyOf(parsed.value, operation);
  if (object === undefined) return refused("the body must be a JSON object", raw, rules);
  const input = rules.inputOf(object, operation);
  const submission = submissionOf(object, input ?? {});
  const problem =
    input === undefined ? "input must be a JSON object" : problemOf(object, operation, rules);
  if (problem !== undefined) return { ...refused(problem, raw, rules), rejected: submission };
  const givenMs = operation === "runsync" ? decimal(raw.wait) : undefined;
  return { submission, waitMs: rules.waitMs(givenMs) };
}

type Rules = Behaviour["submission"];

/** What is wrong before the body is read. */
function problemAround(body: Buffer, raw: RawSubmission, rules: Rules): string | undefined {
  const { operation, contentType, wait } = raw;
  if (!rules.acceptsContentType(contentType, operation)) {
    return "content-type must be application/json";
  }
  if (wait !== undefined && operation === "runsync" && !rules.acceptsWait(wait)) {
    return "wait must be an integer from 1000 to 300000";
  }
  return isTooDeep(body) ? tooDeep : undefined;
}

function parse(
  body: Buffer,
  { operation }: RawSubmission,
  rules: Rules,
): { readonly value: unknown } | undefined {
  try {
    return { value: rules.parse(utf8.decode(body), operation) };
  } catch {
    return undefined;
  }
}

/** The first thing wrong with the optional members of a submission. */
function problemOf(body: JsonObject, operation: SubmitOperation, rules: Rules): string | undefined {
  const { webhook, policy, s3Config } = body;
  if (webhook !== undefined && !rules.acceptsWebhook(webhook, operation)) {
    return "webhook must be an http or https URL";
  }
  if (policy !== undefined && !rules.acceptsPolicy(policy, operation)) {
    return "policy must be an object";
  }
  if (s3Config !== undefined && !rules.acceptsS3Config(s3Config, operation)) {
    return "s3Config must be an object";
  }
  return policyProblem(policy, operation, rules) ?? s3Problem(s3Config, operation, rules);
}

function policyProblem(
  policy: unknown,
  operation: SubmitOperation,
  rules: Rules,
): string | undefined {
  if (!isJsonObject(policy)) return undefined;
  const { executionTimeout, ttl, lowPriority } = policy;
  if (
    executionTimeout !== undefined &&
    !rules.acceptsExecutionTimeout(executionTimeout, operation)
  ) {
    return "policy.executionTimeout must be an integer from 5000 to 604800000";
  }
  if (ttl !== undefined && !rules.acceptsTtl(ttl, operation)) {
    return "policy.ttl must be an integer from 10000 to 604800000";
  }
  if (lowPriority !== undefined && !rules.acceptsLowPriority(lowPriority, operation)) {
    return "policy.lowPriority must be a boolean";
  }
  return undefined;
}

function s3Problem(
  s3Config: unknown,
  operation: SubmitOperation,
  rules: Rules,
): string | undefined {
  if (!isJsonObject(s3Config)) return undefined;
  const field = S3_FIELDS.find(
    (name) =>
      s3Config[name] !== undefined && !rules.acceptsS3Field(s3Config[name], name, operation),
  );
  return field === undefined ? undefined : `s3Config.${field} must be a string`;
}

/** Keeps what can be used. A value of another type is left out where a changed rule let it pass. */
function submissionOf(body: JsonObject, input: JsonObject): ReceivedSubmission {
  const { webhook, policy, s3Config } = body;
  return {
    input,
    policy: isJsonObject(policy) ? policyOf(policy) : {},
    ...(typeof webhook === "string" && { webhook }),
    ...(isJsonObject(s3Config) && { s3Config }),
  };
}

function policyOf({ executionTimeout, lowPriority, ttl }: JsonObject): Policy {
  return {
    ...(typeof executionTimeout === "number" && { executionTimeout }),
    ...(typeof lowPriority === "boolean" && { lowPriority }),
    ...(typeof ttl === "number" && { ttl }),
  };
}

function refused(
  problem: string,
  { operation }: RawSubmission,
  rules: Rules,
): { readonly problem: string; readonly status: number } {
  return { problem, status: rules.refusalStatus(problem, operation) };
}

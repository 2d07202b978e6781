import type { JsonObject } from "../job.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";

/** Which submissions are accepted (docs/specification.md#job-submission-body). */
export interface SubmissionBehaviour {
  readonly payloadBytesMax: (operation: SubmitOperation, isChunked: boolean) => number;
  /** Whether a body without its length is answered 411. */
  readonly demandsLength: (operation: SubmitOperation) => boolean;
  /** The body as it is read; `isChunked` tells that it came without its length. */
  readonly received: (bytes: Buffer, operation: SubmitOperation, isChunked: boolean) => Buffer;
  readonly payloadRefusalStatus: (operation: SubmitOperation) => number;
  /** The status of every other refusal of a submission; `problem` says why. */
  readonly refusalStatus: (problem: string, operation: SubmitOperation) => number;
  readonly acceptsContentType: (value: string | undefined, operation: SubmitOperation) => boolean;
  /** The JSON value of a body; throws where the text is none. */
  readonly parse: (text: string, operation: SubmitOperation) => unknown;
  /** What is taken as the submission where the body is no object; undefined refuses it. */
  readonly bodyOf: (value: unknown, operation: SubmitOperation) => JsonObject | undefined;
  /** What is taken as the input; undefined refuses the submission. */
  readonly inputOf: (body: JsonObject, operation: SubmitOperation) => JsonObject | undefined;
  readonly acceptsWebhook: (value: unknown, operation: SubmitOperation) => boolean;
  readonly acceptsPolicy: (value: unknown, operation: SubmitOperation) => boolean;
  readonly acceptsExecutionTimeout: (value: unknown, operation: SubmitOperation) => boolean;
  readonly acceptsTtl: (value: unknown, operation: SubmitOperation) => boolean;
  readonly acceptsLowPriority: (value: unknown, operation: SubmitOperation) => boolean;
  readonly acceptsS3Config: (value: unknown, operation: SubmitOperation) => boolean;
  readonly acceptsS3Field: (value: unknown, field: string, operation: SubmitOperation) => boolean;
  /** The `wait` parameter as the query carries it. */
  readonly acceptsWait: (text: unknown) => boolean;
  /** How long a runsync request waits; `givenMs` is its accepted parameter. */
  readonly waitMs: (givenMs: number | undefined) => number;
  readonly jobId: (
    operation: SubmitOperation,
    uuid: string,
    sequence: number,
    endpointId: string,
  ) => string;
  /** Whether a refused submission creates no job; `problem` says why it was refused. */
  readonly refusalCreatesNoJob: (problem: string, operation: SubmitOperation) => boolean;
}

/** 10 and 20 MB in their larger reading, 1 MB = 1,048,576 bytes (docs/decisions/0002-what-a-submission-may-look-like.md). */
const RUN_BYTES_MAX = 10_485_760;
const RUNSYNC_BYTES_MAX = 20_971_520;

const SEVEN_DAYS_MS = 604_800_000;

export const submission: SubmissionBehaviour = {
  payloadBytesMax: (operation) => (operation === "run" ? RUN_BYTES_MAX : RUNSYNC_BYTES_MAX),
  demandsLength: () => false,
  received: (bytes) => bytes,
  payloadRefusalStatus: () => 400,
  refusalStatus: () => 400,
  acceptsContentType: (value) =>
    value === undefined || /^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(value),
  parse: (text): unknown => JSON.parse(text),
  bodyOf: (value) => (isJsonObject(value) ? value : undefined),
  inputOf: ({ input }) => (isJsonObject(input) ? input : undefined),
  acceptsWebhook: (value) => typeof value === "string" && isHttpUrl(value),
  acceptsPolicy: isJsonObject,
  acceptsExecutionTimeout: (value) => isIntegerWithin(value, 5_000, SEVEN_DAYS_MS),
  acceptsTtl: (value) => isIntegerWithin(value, 10_000, SEVEN_DAYS_MS),
  acceptsLowPriority: (value) => typeof value === "boolean",
  acceptsS3Config: isJsonObject,
  acceptsS3Field: (value) => typeof value === "string",
  acceptsWait: (text) => isIntegerWithin(decimal(text), 1_000, 300_000),
  waitMs: (givenMs) => givenMs ?? 90_000,
  jobId: (operation, uuid) => (operation === "run" ? `${uuid}-u1` : `sync-${uuid}-u1`),
  refusalCreatesNoJob: () => true,
};

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isIntegerWithin(value: unknown, min: number, max: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
}

/** The number a query parameter spells in plain decimal digits; undefined for anything else. */
export function decimal(text: unknown): number | undefined {
  if (typeof text !== "string" || !/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

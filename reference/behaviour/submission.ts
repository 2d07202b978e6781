import type { JsonObject } from "../job.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";

/** 10 and 20 MB in their larger reading, 1 MB = 1,048,576 bytes (docs/decisions/0002-what-a-submission-may-look-like.md). */
const RUN_BYTES_MAX = 10_485_760;
const RUNSYNC_BYTES_MAX = 20_971_520;

const SEVEN_DAYS_MS = 604_800_000;

/** Which submissions are accepted (docs/specification.md#job-submission-body). */
export const submission = {
  payloadBytesMax: (operation: SubmitOperation, _isChunked: boolean): number =>
    operation === "run" ? RUN_BYTES_MAX : RUNSYNC_BYTES_MAX,
  /** Whether a body without its length is answered 411. */
  demandsLength: (_operation: SubmitOperation): boolean => false,
  /** The body as it is read; `isChunked` tells that it came without its length. */
  received: (bytes: Buffer, _operation: SubmitOperation, _isChunked: boolean): Buffer => bytes,
  payloadRefusalStatus: (_operation: SubmitOperation): number => 400,
  /** The status of every other refusal of a submission; `problem` says why. */
  refusalStatus: (_problem: string, _operation: SubmitOperation): number => 400,
  acceptsContentType: (value: string | undefined, _operation: SubmitOperation): boolean =>
    value === undefined || /^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(value),
  /** The JSON value of a body; throws where the text is none. */
  parse: (text: string, _operation: SubmitOperation): unknown => JSON.parse(text),
  /** What is taken as the submission where the body is no object; undefined refuses it. */
  bodyOf: (value: unknown, _operation: SubmitOperation): JsonObject | undefined =>
    isJsonObject(value) ? value : undefined,
  /** What is taken as the input; undefined refuses the submission. */
  inputOf: ({ input }: JsonObject, _operation: SubmitOperation): JsonObject | undefined =>
    isJsonObject(input) ? input : undefined,
  acceptsWebhook: (value: unknown, _operation: SubmitOperation): boolean =>
    typeof value === "string" && isHttpUrl(value),
  acceptsPolicy: (value: unknown, _operation: SubmitOperation): boolean => isJsonObject(value),
  acceptsExecutionTimeout: (value: unknown, _operation: SubmitOperation): boolean =>
    isIntegerWithin(value, 5_000, SEVEN_DAYS_MS),
  acceptsTtl: (value: unknown, _operation: SubmitOperation): boolean =>
    isIntegerWithin(value, 10_000, SEVEN_DAYS_MS),
  acceptsLowPriority: (value: unknown, _operation: SubmitOperation): boolean =>
    typeof value === "boolean",
  acceptsS3Config: (value: unknown, _operation: SubmitOperation): boolean => isJsonObject(value),
  acceptsS3Field: (value: unknown, _field: string, _operation: SubmitOperation): boolean =>
    typeof value === "string",
  /** The `wait` parameter as the query carries it. */
  acceptsWait: (text: unknown): boolean => isIntegerWithin(decimal(text), 1_000, 300_000),
  /** How long a runsync request waits; `givenMs` is its accepted parameter. */
  waitMs: (givenMs: number | undefined): number => givenMs ?? 90_000,
  jobId: (
    operation: SubmitOperation,
    uuid: string,
    _sequence: number,
    _endpointId: string,
  ): string => (operation === "run" ? `${uuid}-u1` : `sync-${uuid}-u1`),
  /** Whether a refused submission creates no job; `problem` says why it was refused. */
  refusalCreatesNoJob: (_problem: string, _operation: SubmitOperation): boolean => true,
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

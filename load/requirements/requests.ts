import { segmentOf } from "../../client/job-client.ts";
import type { Translation } from "../../client/translation.ts";
import { isSubmission, operationNamed, pathOf } from "../../openapi/operations.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { ProbeRequest } from "../probe/request.ts";

/** What a job of a load check does. */
export type Input = Readonly<Record<string, number | string>>;

export const echo: Input = { op: "echo", value: 1 };
/** Longer than any check takes, shorter than the endpoint's own time-out. */
export const busy: Input = { op: "sleep", ms: 500_000 };

/** How a request differs from the plain one of its operation. */
export interface RequestParts {
  readonly jobId?: string;
  /** Replaces the operation's own path; relative to the endpoint's. */
  readonly path?: string;
  readonly body?: string;
  /** Milliseconds for which runsync waits. */
  readonly waitMs?: number;
  /** Replaces the endpoint's key. */
  readonly apiKey?: string;
  /** The query string without its question mark; replaces the wait. */
  readonly query?: string;
}

interface Addressee {
  readonly baseUrl: string;
  readonly endpointId: string;
  readonly apiKey: string;
  /** Absent: the target speaks as the specification does. */
  readonly translation?: Translation | undefined;
}

/** A request that the operation accepts when no limit stands in the way. */
export function requestOf(
  { baseUrl, endpointId, apiKey, translation }: Addressee,
  operation: OperationName,
  parts: RequestParts = {},
): ProbeRequest {
  const { jobId = "", path, body = plainBodyOf(operation) } = parts;
  const endpointSegment = segmentOf(endpointId);
  const below = path ?? pathOf(operation, segmentOf(jobId)).slice(1);
  const request = {
    operation,
    method: operationNamed[operation].method,
    path: `/v2/${endpointSegment}/${below}${queryOf(parts)}`,
    endpointSegment,
    headers: {
      authorization: parts.apiKey ?? apiKey,
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body,
  };
  const sent = translation?.request(request) ?? request;
  const { method, path: asked, headers } = sent;
  const text = sent.body === undefined ? undefined : String(sent.body);
  return {
    method,
    url: `${baseUrl}${asked}`,
    headers,
    ...(text === undefined ? {} : { body: text }),
  };
}

function queryOf({ waitMs, query }: RequestParts): string {
  const text = query ?? (waitMs === undefined ? "" : `wait=${waitMs}`);
  return text === "" ? "" : `?${text}`;
}

/** Whether the operation reads a job that has to be there. */
export function readsJob(operation: OperationName): boolean {
  return operation === "status" || operation === "stream" || operation === "retry";
}

/** Whether requests of the operation have a body, whose end can be withheld. */
export function hasBody(operation: OperationName): boolean {
  return plainBodyOf(operation) !== undefined;
}

/** The body of a plain request of the operation; undefined where it has none. */
function plainBodyOf(operation: OperationName): string | undefined {
  if (isSubmission(operation)) return JSON.stringify({ input: echo });
  const messages = [{ role: "user", content: "queueproof" }];
  return operation === "openai" ? JSON.stringify({ model: "queueproof", messages }) : undefined;
}

/** How many requests are sent at once, at most. */
export const sendersMax = 64;

/** How many requests may be sent at once without reaching the cap of the operation. */
export function sendersBelowCap(operation: OperationName): number {
  const { inFlight = 400 } = operationNamed[operation].rateLimit;
  return Math.max(1, Math.min(sendersMax, Math.floor(inFlight / 2)));
}

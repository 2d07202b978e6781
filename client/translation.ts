import type { AnswerForm } from "../openapi/departures.ts";
import type { OperationName } from "../openapi/operations.ts";
import type { Exchange } from "./exchange.ts";

/** A request of the job API on its way out. */
export interface OutgoingRequest {
  readonly operation: OperationName;
  readonly method: "GET" | "POST";
  /** Below the base URL, with the query, every segment encoded. */
  readonly path: string;
  /** The endpoint id as a segment of a path. */
  readonly endpointSegment: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: it has none. */
  readonly body?: string | Buffer | undefined;
}

/** Stands between the specification's terms and those of a service that departs from it in known ways. */
export interface Translation {
  /** The request as this service wants it. */
  readonly request: (request: OutgoingRequest) => OutgoingRequest;
  /** The exchange in the specification's terms, with a note of each deviation that it shows. */
  readonly exchange: (exchange: Exchange) => Exchange;
  /** How its answers depart, for what reads them without an exchange. */
  readonly answers: AnswerForm;
  /** Why this service cannot be asked at all, or shows no job IN_PROGRESS; `undefined` where it can, and does. */
  readonly obstacle: (what: OperationName | "IN_PROGRESS") => string | undefined;
}

/** A POST without a body, with an empty object as its body. */
export function withEmptyObject(request: OutgoingRequest): OutgoingRequest {
  if (request.method !== "POST" || request.body !== undefined) return request;
  const headers = { ...request.headers, "content-type": "application/json" };
  return { ...request, headers, body: "{}" };
}

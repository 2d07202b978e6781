import type { OperationName } from "../../openapi/operations.ts";
import { nestsDeeper } from "../../openapi/depth.ts";
import { parseJson } from "../../client/parse-json.ts";

/** What is known of a body: nothing where it was not recorded, its beginning where it was cut. */
export interface RecordedBody {
  readonly bytes: Buffer;
  readonly kind: "whole" | "cut" | "unknown";
}

export type RecordedHeaders = Readonly<Record<string, string>>;

/** An answer as it passed. Times are in milliseconds since the epoch, on a clock that never steps back. */
export interface RecordedAnswer {
  readonly status: number;
  /** Names in lower case; values of one name joined by a comma. */
  readonly headers: RecordedHeaders;
  readonly body: RecordedBody;
  /** When it began to be sent to the client. */
  readonly beganMs: number;
  /** When the last of it was handed to the network. */
  readonly endedMs: number;
}

/** One request of a client and what became of it, as it was seen between client and server. */
export interface RecordedExchange {
  /** From 1, in the order in which requests came. */
  readonly number: number;
  /** Requests with the same number came on the same connection. */
  readonly connection: number;
  readonly method: string;
  /** The address that was asked, as far as the request tells it: `https://127.0.0.1:8443`. */
  readonly origin: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  readonly headers: RecordedHeaders;
  readonly body: RecordedBody;
  readonly arrivedMs: number;
  /** Absent where none was sent. */
  readonly answer?: RecordedAnswer | undefined;
  /** Who closed the connection before the whole answer was sent, and when. */
  readonly brokenOff?: { readonly by: "client" | "server"; readonly atMs: number } | undefined;
}

/** What a path asks for. */
export interface AskedFor {
  readonly endpointId: string;
  readonly operation: OperationName;
  /** Decoded. */
  readonly jobId: string | undefined;
}

/** A method and a path below an endpoint's, `:jobId` in place of an id, for an operation. */
export interface OperationRoute {
  readonly operation: OperationName;
  readonly method: string;
  readonly path: string;
}

/** What a request asks for by these routes; undefined where it is none of them. */
export function askedFor(
  { method, target }: Pick<RecordedExchange, "method" | "target">,
  routes: readonly OperationRoute[],
): AskedFor | undefined {
  const [path = ""] = target.split("?");
  const match = /^(?:\/[^/]+)*?\/v2\/([^/]+)(\/.*)$/.exec(path);
  const [, endpoint, below] = match ?? [];
  if (endpoint === undefined || below === undefined) return undefined;
  for (const route of routes) {
    if (route.method !== method) continue;
    const found = patternOf(route).exec(below);
    if (found === null) continue;
    const [, jobId] = found;
    return {
      endpointId: decoded(endpoint),
      operation: route.operation,
      jobId: jobId === undefined ? undefined : decoded(jobId),
    };
  }
  return undefined;
}

/** Every exchange is asked for each of a few routes. */
const patterns = new Map<string, RegExp>();

function patternOf({ path }: OperationRoute): RegExp {
  const known = patterns.get(path);
  if (known !== undefined) return known;
  const pattern = new RegExp(`^${path.replace(":jobId", "([^/]+)").replace("*", ".*")}$`);
  patterns.set(path, pattern);
  return pattern;
}

/** A segment of a path without its percent-encoding, or as it is where that is broken. */
export function decoded(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** What was parsed: every rule looks at a body, and some are megabytes. */
const parsed = new WeakMap<RecordedBody, { readonly value: unknown }>();

/** No body of the API is deeper, and recursive code can go as deep. */
const jsonDepthMax = 500;

/** A body as JSON; undefined where it is not whole, is none, or is nested deeper than any reader goes. */
export function jsonOf(body: RecordedBody): unknown {
  // To parse nothing would throw, a million times.
  if (body.kind !== "whole" || body.bytes.length === 0) return undefined;
  const known = parsed.get(body);
  if (known !== undefined) return known.value;
  const isTooDeep = nestsDeeper(body.bytes, jsonDepthMax);
  const value = isTooDeep ? undefined : parseJson(body.bytes.toString("utf8"));
  parsed.set(body, { value });
  return value;
}

/** A member of a value that is an object. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** A parameter of a request's query. */
export function queryOf({ target }: Pick<RecordedExchange, "target">, name: string): string | null {
  return new URLSearchParams(target.split("?")[1] ?? "").get(name);
}

/** Where a request was sent, in words: its method and its path without the query. */
export function placeOf({ method, target }: Pick<RecordedExchange, "method" | "target">): string {
  return `${method} ${target.split("?")[0]}`;
}

/** The same exchange with other bodies. */
export function withBodies<Body>(
  { body, answer, ...rest }: RecordedExchange,
  change: (body: RecordedBody) => Body,
): Omit<RecordedExchange, "body" | "answer"> & {
  readonly body: Body;
  readonly answer?: Omit<RecordedAnswer, "body"> & { readonly body: Body };
} {
  return {
    ...rest,
    body: change(body),
    ...(answer !== undefined && { answer: { ...answer, body: change(answer.body) } }),
  };
}

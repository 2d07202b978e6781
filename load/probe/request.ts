import { blankTraceparent, commonHeaders, writeTraceIds } from "../../client/request-rules.ts";
import { throughPlainProxy } from "../../client/connect.ts";
import type { RequestRules } from "../../client/request-rules.ts";

/** What a request of the probe is made of. */
export interface ProbeRequest {
  readonly method: "GET" | "POST";
  /** Absolute, http or https. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request as it goes over the wire, made once and sent as often as it is needed. */
export interface WireRequest {
  readonly bytes: Buffer;
  /** Method and path. */
  readonly line: string;
  /** The offset at which each sending writes its own `traceparent`; undefined where the request has none. */
  readonly traceAt: number | undefined;
}

/** One sending of a request, with its own trace. */
export interface StampedRequest {
  readonly bytes: Buffer;
  readonly traceparent: string | undefined;
}

/**
 * Serialises an HTTP/1.1 request for a keep-alive connection, with all headers that the rules ask for.
 * @throws TypeError where the URL or a header is not valid in a request.
 */
export function serialise(
  { method, url, headers, body }: ProbeRequest,
  rules: RequestRules,
): WireRequest {
  const target = new URL(url);
  const toProxy = throughPlainProxy(rules, target);
  const path = `${target.pathname}${target.search}`;
  const lines = [
    `${method} ${toProxy === undefined ? path : target.origin + path} HTTP/1.1`,
    `host: ${target.host}`,
  ];
  for (const [name, value] of Object.entries({
    ...commonHeaders(rules, target),
    ...toProxy,
    ...headers,
  })) {
    if (/[\r\n]/.test(name + value)) throw new TypeError(`the header ${name} has a line break`);
    lines.push(`${name}: ${value}`);
  }
  const payload = Buffer.from(body ?? "");
  if (method === "POST") lines.push(`content-length: ${payload.length}`);
  if (rules.isTraced) lines.push(`traceparent: ${blankTraceparent}`);
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  return {
    bytes: Buffer.concat([head, payload]),
    line: `${method} ${target.pathname}`,
    traceAt: rules.isTraced ? head.length - blankTraceparent.length - 4 : undefined,
  };
}

/** The request with its own trace: a copy, because the bytes of an earlier sending may still be in flight. */
export function stamped({ bytes, traceAt }: WireRequest): StampedRequest {
  if (traceAt === undefined) return { bytes, traceparent: undefined };
  const copy = Buffer.from(bytes);
  writeTraceIds(copy, traceAt);
  const traceparent = copy.toString("latin1", traceAt, traceAt + blankTraceparent.length);
  return { bytes: copy, traceparent };
}

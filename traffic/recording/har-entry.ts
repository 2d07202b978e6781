import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { parseJson } from "../../client/parse-json.ts";
import { memberOf } from "./recorded-exchange.ts";
import type { RecordedBody, RecordedExchange, RecordedHeaders } from "./recorded-exchange.ts";

/**
 * Reads an entry of a HAR file as tools really write it; undefined for one that was answered from a cache.
 * @throws TypeError where it has no request, or no time
 */
export function exchangeOfEntry(entry: unknown, number: number): RecordedExchange | undefined {
  if (isFromCache(entry)) return undefined;
  const request = memberOf(entry, "request");
  const response = memberOf(entry, "response");
  const url = memberOf(request, "url");
  const method = memberOf(request, "method");
  const arrivedMs = Date.parse(String(memberOf(entry, "startedDateTime")));
  const parsed = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || typeof method !== "string") {
    throw new TypeError("it has no request with a URL and a method");
  }
  if (Number.isNaN(arrivedMs)) throw new TypeError("it has no time");
  const { origin, pathname, search } = parsed;
  const headers = headersOf(request);
  const status = Number(memberOf(response, "status") ?? 0);
  const tookMs = Math.max(0, Number(memberOf(entry, "time") ?? 0) || 0);
  const endedMs = arrivedMs + tookMs;
  const connection = numberOf(memberOf(entry, "connection"));
  const base = {
    number,
    connection: Number.isNaN(connection) ? 0 : connection,
    method: method.toUpperCase(),
    origin,
    target: `${pathname}${search}`,
    headers,
    body: requestBody(request),
    arrivedMs,
  };
  // Tools write 0 for a request that was aborted or never answered.
  if (!(status >= 100)) return { ...base, brokenOff: { by: "client", atMs: endedMs } };
  return {
    ...base,
    answer: {
      status,
      headers: headersOf(response),
      body: answerBody(response),
      beganMs: arrivedMs + headMs(entry, tookMs),
      endedMs,
    },
  };
}

/** A number, or a text that begins with one; NaN for all else. */
function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  return typeof value === "string" ? Number.parseInt(value, 10) : Number.NaN;
}

function isFromCache(entry: unknown): boolean {
  const told = memberOf(entry, "_fromCache") ?? memberOf(memberOf(entry, "response"), "_fromCache");
  return told !== undefined && told !== false && told !== null && told !== "";
}

function headersOf(message: unknown): RecordedHeaders {
  const list = memberOf(message, "headers");
  const headers = new Map<string, string>();
  for (const header of Array.isArray(list) ? list : []) {
    const name = memberOf(header, "name");
    const value = memberOf(header, "value");
    // HTTP/2 writes the parts of the request line as headers whose names begin with a colon.
    if (typeof name !== "string" || typeof value !== "string" || name.startsWith(":")) continue;
    const lower = name.toLowerCase();
    const before = headers.get(lower);
    headers.set(lower, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}

/** Until the answer began: all that was told of times but the receiving. */
function headMs(entry: unknown, tookMs: number): number {
  const receive = Number(memberOf(memberOf(entry, "timings"), "receive") ?? 0);
  return Math.max(0, tookMs - (receive > 0 ? receive : 0));
}

const unknownBody: RecordedBody = { bytes: Buffer.alloc(0), kind: "unknown" };

function requestBody(request: unknown): RecordedBody {
  const data = memberOf(request, "postData");
  const size = Number(memberOf(request, "bodySize") ?? -1);
  if (data === undefined || data === null) {
    return size > 0 ? unknownBody : { bytes: Buffer.alloc(0), kind: "whole" };
  }
  const text = memberOf(data, "text");
  const encoding = memberOf(data, "encoding") ?? memberOf(data, "_encoding");
  // `params` hold a form, whose text is not known.
  if (typeof text !== "string" || (text === "" && size > 0)) return unknownBody;
  return bodyOf(text, encoding === "base64", size);
}

function answerBody(response: unknown): RecordedBody {
  const content = memberOf(response, "content");
  const size = Number(memberOf(content, "size") ?? -1);
  const text = memberOf(content, "text");
  if (typeof text !== "string" || (text === "" && size > 0)) {
    return size === 0 ? { bytes: Buffer.alloc(0), kind: "whole" } : unknownBody;
  }
  return bodyOf(text, memberOf(content, "encoding") === "base64", size);
}

const base64 = /^[A-Za-z0-9+/\r\n]+={0,2}\s*$/;

/** A body whose text may be marked base64 and not be it, or the reverse, and may be compressed. */
function bodyOf(text: string, isMarked: boolean, size: number): RecordedBody {
  if (text === "") return { bytes: Buffer.alloc(0), kind: "whole" };
  const isPlainJson = parseJson(text) !== undefined;
  const mayBeCoded = (isMarked || !isPlainJson) && base64.test(text);
  if (isPlainJson && !mayBeCoded) return { bytes: Buffer.from(text), kind: "whole" };
  const candidates = mayBeCoded
    ? [Buffer.from(text, "base64"), Buffer.from(text)]
    : [Buffer.from(text)];
  const readable = candidates
    .flatMap(decodings)
    .find((bytes) => parseJson(bytes.toString("utf8")) !== undefined);
  if (readable !== undefined) return { bytes: readable, kind: "whole" };
  const [first = Buffer.alloc(0)] = isMarked && mayBeCoded ? candidates : [Buffer.from(text)];
  return { bytes: first, kind: size > first.length ? "cut" : "whole" };
}

/** The bytes as they are, and what they may be the compressed form of. */
function decodings(bytes: Buffer): readonly Buffer[] {
  const decoders =
    bytes[0] === 0x1f && bytes[1] === 0x8b ? [gunzipSync] : [inflateSync, brotliDecompressSync];
  if (parseJson(bytes.toString("utf8")) !== undefined) return [bytes];
  return [
    bytes,
    ...decoders.flatMap((decode) => {
      try {
        return [decode(bytes, { maxOutputLength: 64_000_000 })];
      } catch {
        return [];
      }
    }),
  ];
}

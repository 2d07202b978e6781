import { errors } from "undici";

import { ProxyError } from "./connect.ts";
import { AnswerTooLarge } from "./dispatch.ts";
import type { ExchangeFailure, FailureKind } from "./exchange.ts";

/** All headers of an answer together, in bytes. Common servers allow some 8 to 32 kB. */
export const headerBytesMax = 65_536;

/** What an error of undici, Node or this client means for a request that got no whole answer. */
export function failureOf(error: unknown, callers: AbortSignal | undefined): ExchangeFailure {
  if (callers?.aborted === true) return { kind: "aborted", message: "the request was broken off" };
  if (error instanceof errors.HeadersOverflowError) {
    const message = `an answer with headers of more than ${headerBytesMax} bytes`;
    return { kind: "too-large", message };
  }
  const message = messageOf(error);
  if (error instanceof errors.InvalidArgumentError) return { kind: "unsendable", message };
  if (error instanceof errors.HTTPParserError) return brokenHttp(error);
  if (error instanceof ProxyError) return { kind: "connection", message };
  return toldInWords(message) ?? { kind: kindOf(error), message };
}

/** Messages of undici and Node, each with the failure that it means. */
const inWords: readonly (readonly [RegExp, ExchangeFailure])[] = [
  [
    /^bad response$/,
    { kind: "protocol", message: "an answer that was not asked for: 100 Continue" },
  ],
  [
    /^bad upgrade$/,
    { kind: "protocol", message: "an answer that was not asked for: 101 Switching Protocols" },
  ],
  [
    /^other side closed$|^terminated$/,
    { kind: "connection", message: "the connection was closed" },
  ],
  // The errors of TLS libraries for an answer in plain HTTP.
  [
    /wrong version number|packet length too long|record layer/i,
    { kind: "connection", message: "it speaks http, not https" },
  ],
  [/ECONNRESET|EPIPE/, { kind: "connection", message: "the connection was reset" }],
];

/** Where an answer breaks HTTP, by the words of the parser (llhttp). */
const brokenParts: readonly (readonly [RegExp, string])[] = [
  [/header value/i, "a header value with a control character"],
  [/header (?:token|name|field)/i, "a header name with a character that none may have"],
  [
    /Content-Length.*Transfer-Encoding|Transfer-Encoding.*Content-Length/i,
    "both Content-Length and Transfer-Encoding",
  ],
  [/Content-Length/i, "a Content-Length that is no number, or comes twice"],
  [/chunk/i, "a chunk without a right size"],
  [/status|HTTP\//i, "a first line that is no status line of HTTP/1"],
];

/** Tells an error of the parser as what the answer does wrong. */
function brokenHttp({ message }: Error): ExchangeFailure {
  const reason = reasonIn(message);
  const part = brokenParts.find(([pattern]) => pattern.test(reason))?.[1] ?? reason;
  return { kind: "protocol", message: `an answer that breaks HTTP: ${part}` };
}

/** undici puts the parser's own words in brackets behind a sentence of its own. */
function reasonIn(message: string): string {
  return /\(([^)]*)\)$/.exec(message)?.[1] ?? message;
}

function toldInWords(message: string): ExchangeFailure | undefined {
  if (message.includes("ECONNREFUSED")) return { kind: "refused", message };
  return inWords.find(([pattern]) => pattern.test(message))?.[1];
}

function kindOf(error: unknown): FailureKind {
  if (error instanceof AnswerTooLarge) return "too-large";
  if (error instanceof errors.ResponseContentLengthMismatchError) return "protocol";
  return "connection";
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message === "" && error instanceof AggregateError) {
    return error.errors.map((inner) => messageOf(inner)).join("; ");
  }
  return error.message;
}

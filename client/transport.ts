import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { callbackify } from "node:util";

import { Agent, errors } from "undici";

import { textOf } from "./content-codings.ts";
import { AnswerTooLarge, PendingAnswer } from "./dispatch.ts";
import type { ReceivedAnswer } from "./dispatch.ts";
import { ProxyError, openSocket, throughPlainProxy } from "./connect.ts";
import { Answer, monotonicNowMs } from "./exchange.ts";
import type { ExchangeFailure, FailureKind, SentRequest, TransportResult } from "./exchange.ts";
import { demandAllowed, headersOf } from "./request-rules.ts";
import type { RequestRules } from "./request-rules.ts";

/** No answer of this API is larger: a record with all that a submission of 20 MB can bring. More is cut off here. */
export const answerBytesMax = 32 * 1_048_576;
/** All headers of an answer together, in bytes. Common servers allow some 8 to 32 kB. */
export const headerBytesMax = 65_536;

export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** The size of the chunks in which the body is sent, without its length (RFC 9112, 7.1); absent: it is sent whole. */
  readonly chunkBytes?: number | undefined;
  /** Whether it has to go over a connection that no other request has used. */
  readonly newConnection?: boolean;
}

/** Keep-alive connections to the target. One serves a whole run; `close` ends it. */
export class Transport {
  /** What holds for every request. */
  readonly rules: RequestRules;
  readonly #agent: Agent;
  /** Parsed once, since parsing takes a good part of the time of a short request. */
  readonly #origins: readonly URL[];
  #freshAgent: Agent | undefined;

  /** @param connections how many connections to one origin may be open at once */
  constructor(rules: RequestRules, connections = 128) {
    this.rules = rules;
    this.#origins = rules.origins.map((origin) => new URL(origin));
    this.#agent = newAgent(rules, { connections, pipelining: 1 });
  }

  /** Sends one request, once: no retry, no redirect. Never rejects; a missing answer is a `failure`. */
  async send(request: TransportRequest): Promise<TransportResult> {
    const sentAtMs = monotonicNowMs();
    let timedOut = false;
    try {
      const pending = this.#dispatch(request);
      const breakOff = (): void => {
        pending.breakOff(new Error("broken off"));
      };
      const timer = setTimeout(() => {
        timedOut = true;
        breakOff();
      }, request.timeoutMs);
      if (request.signal?.aborted === true) breakOff();
      const signalled = request.signal && breakOffsOf(request.signal);
      signalled?.add(breakOff);
      try {
        const answer = answerOf(await pending.received);
        return { answer, failure: undefined, sentAtMs, answeredAtMs: monotonicNowMs() };
      } finally {
        clearTimeout(timer);
        signalled?.delete(breakOff);
      }
    } catch (error) {
      const failure = timedOut ? timeoutOf(request) : failureOf(error, request.signal);
      return { answer: undefined, failure, sentAtMs, answeredAtMs: monotonicNowMs() };
    }
  }

  #dispatch(request: TransportRequest): PendingAnswer {
    const url = this.#originOf(request) ?? new URL(request.url);
    demandAllowed(this.rules, url);
    const toProxy = throughPlainProxy(this.rules, url);
    const headers = headersOf(this.rules, url, request.headers);
    const sent = {
      origin: url.origin,
      path: toProxy === undefined ? pathOf(request.url) : request.url,
      method: request.method,
      headers: { ...headers, ...toProxy },
      body: bodyOf(request),
    };
    const pending = new PendingAnswer(answerBytesMax);
    this.#agentFor(request).dispatch(sent, pending);
    return pending;
  }

  /** The origin of the run that a URL begins with. */
  #originOf({ url }: TransportRequest): URL | undefined {
    return this.#origins.find(({ origin }) => url.startsWith(`${origin}/`));
  }

  /** Ends all connections, also those with a request in flight. */
  async close(): Promise<void> {
    await Promise.all([this.#agent.destroy(), this.#freshAgent?.destroy()]);
  }

  #agentFor({ newConnection = false }: TransportRequest): Agent {
    if (!newConnection) return this.#agent;
    this.#freshAgent ??= newAgent(this.rules, { pipelining: 0 });
    return this.#freshAgent;
  }
}

const breakOffsBySignal = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * What breaks the requests of a signal off. One listener serves all of them: a check has hundreds, and to listen for
 * each would cost a good part of its time.
 */
function breakOffsOf(signal: AbortSignal): Set<() => void> {
  const known = breakOffsBySignal.get(signal);
  if (known !== undefined) return known;
  const breakOffs = new Set<() => void>();
  breakOffsBySignal.set(signal, breakOffs);
  const breakAllOff = (): void => {
    for (const breakOff of breakOffs) breakOff();
  };
  signal.addEventListener("abort", breakAllOff, { once: true });
  return breakOffs;
}

/** A body that is given as a stream has no length beforehand, so that it is sent in chunks. */
function bodyOf({ body, chunkBytes }: TransportRequest): string | Buffer | Readable | null {
  if (body === undefined || chunkBytes === undefined) return body ?? null;
  return Readable.from(chunksOf(Buffer.isBuffer(body) ? body : Buffer.from(body), chunkBytes));
}

function* chunksOf(bytes: Buffer, chunkBytes: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    yield bytes.subarray(start, start + chunkBytes);
  }
}

/** The agent has no time-outs of its own: `send` has one for each request, with an error of its own. */
function newAgent(rules: RequestRules, options: Agent.Options): Agent {
  return new Agent({
    ...options,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: headerBytesMax,
    connect: ({ protocol, hostname, port }, done) => {
      const origin = new URL(`${protocol}//${hostname}${port === "" ? "" : `:${port}`}`);
      connectTo(rules, origin, (error, socket) => {
        if (error instanceof Error) done(error, null);
        else done(null, socket);
      });
    },
  });
}

const connectTimeoutMs = 10_000;

const connectTo = callbackify(async (rules: RequestRules, origin: URL): Promise<Socket> =>
  openSocket(rules, origin, { timeoutMs: connectTimeoutMs, speaksHttp2: true }),
);

/** Method and path of a request, as reports and messages name it. */
export function requestLineOf({ method, url }: Pick<SentRequest, "method" | "url">): string {
  const [path = ""] = pathOf(url).split("?", 1);
  return `${method} ${path}`;
}

/**
 * The path and query of a URL as it is written: a parser would resolve the dots of a job that is called `..`, also where they
 * are percent-encoded.
 */
function pathOf(url: string): string {
  const pathAt = url.indexOf("/", url.indexOf("//") + 2);
  return pathAt < 0 ? "/" : url.slice(pathAt);
}

function answerOf({ status, headers: received, bytes }: ReceivedAnswer): Answer {
  const headers = singleValued(received);
  const { text, unreadable } = textOf(bytes, headers["content-encoding"], answerBytesMax);
  return new Answer(status, headers, text, unreadable);
}

type ReceivedHeaders = ReceivedAnswer["headers"];

function isSingleValued(headers: ReceivedHeaders): headers is Readonly<Record<string, string>> {
  for (const name in headers) if (typeof headers[name] !== "string") return false;
  return true;
}

function singleValued(headers: ReceivedHeaders): Readonly<Record<string, string>> {
  if (isSingleValued(headers)) return headers;
  const single: [string, string][] = [];
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined) single.push([name, Array.isArray(value) ? value.join(", ") : value]);
  }
  // Not by assignment: a header may be called __proto__.
  return Object.fromEntries(single);
}

function timeoutOf({ timeoutMs }: TransportRequest): ExchangeFailure {
  return { kind: "timeout", message: `no whole answer within ${timeoutMs} ms` };
}

function failureOf(error: unknown, callers: AbortSignal | undefined): ExchangeFailure {
  if (callers?.aborted === true) return { kind: "aborted", message: "the request was broken off" };
  if (error instanceof errors.HeadersOverflowError) {
    const message = `an answer with headers of more than ${headerBytesMax} bytes`;
    return { kind: "too-large", message };
  }
  const message = messageOf(error);
  if (error instanceof errors.InvalidArgumentError) return { kind: "unsendable", message };
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

function toldInWords(message: string): ExchangeFailure | undefined {
  if (message.includes("ECONNREFUSED")) return { kind: "refused", message };
  return inWords.find(([pattern]) => pattern.test(message))?.[1];
}

function kindOf(error: unknown): FailureKind {
  if (error instanceof AnswerTooLarge) return "too-large";
  if (error instanceof errors.HTTPParserError) return "protocol";
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

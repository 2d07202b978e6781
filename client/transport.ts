import { isUtf8 } from "node:buffer";

import { Agent, errors } from "undici";
import type { Dispatcher } from "undici";

import { Answer, monotonicNowMs } from "./exchange.ts";
import type { ExchangeFailure, FailureKind } from "./exchange.ts";

/** No answer of this API is larger: a record with all that a submission of 20 MB can bring. More is cut off here. */
export const answerBytesMax = 32 * 1_048_576;
/** All headers of an answer together. Servers of the field allow some 8 to 32 kB. */
export const headerBytesMax = 65_536;

export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Whether it has to go over a connection that no other request has used. */
  readonly newConnection?: boolean;
}

export interface TransportResult {
  readonly answer: Answer | undefined;
  readonly failure: ExchangeFailure | undefined;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  /** What became of earlier tries, where the request was sent again until it was answered. */
  readonly unanswered?: readonly ExchangeFailure[];
}

/** Keep-alive connections to the target. One serves a whole run; `close` ends it. */
export class Transport {
  readonly #agent: Agent;
  #freshAgent: Agent | undefined;

  /** @param connections how many connections to one origin may be open at once */
  constructor(connections = 128) {
    this.#agent = newAgent({ connections, pipelining: 1 });
  }

  /** Sends one request, once: no retry, no redirect. Never rejects; a missing answer is a `failure`. */
  async send(request: TransportRequest): Promise<TransportResult> {
    const controller = new AbortController();
    let timedOut = false;
    const timeout = setTimeout(() => {
      timedOut = true;
      controller.abort();
    }, request.timeoutMs);
    const breakOff = (): void => {
      controller.abort();
    };
    // Not AbortSignal.any: on Node 20 it keeps a reference for as long as the caller's signal lives.
    if (request.signal?.aborted === true) breakOff();
    request.signal?.addEventListener("abort", breakOff, { once: true });
    const sentAtMs = monotonicNowMs();
    try {
      const answer = await this.#exchange(request, controller.signal);
      return { answer, failure: undefined, sentAtMs, answeredAtMs: monotonicNowMs() };
    } catch (error) {
      const failure = timedOut ? timeoutOf(request) : failureOf(error, request.signal);
      return { answer: undefined, failure, sentAtMs, answeredAtMs: monotonicNowMs() };
    } finally {
      clearTimeout(timeout);
      request.signal?.removeEventListener("abort", breakOff);
    }
  }

  async #exchange(request: TransportRequest, signal: AbortSignal): Promise<Answer> {
    const response = await this.#agentFor(request).request({
      ...placeOf(request.url),
      method: request.method,
      headers: request.headers,
      body: request.body ?? null,
      signal,
    });
    const bytes = await readBytes(response.body);
    const headers = singleValued(response.headers);
    return new Answer(response.statusCode, headers, bytes.toString("utf8"), isUtf8(bytes));
  }

  /** Ends all connections, also those with a request in flight. */
  async close(): Promise<void> {
    await Promise.all([this.#agent.destroy(), this.#freshAgent?.destroy()]);
  }

  #agentFor({ newConnection = false }: TransportRequest): Agent {
    if (!newConnection) return this.#agent;
    this.#freshAgent ??= newAgent({ pipelining: 0 });
    return this.#freshAgent;
  }
}

/** The time-out of a request is its caller's; undici's own would answer with another error. */
function newAgent(options: Agent.Options): Agent {
  return new Agent({
    ...options,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: headerBytesMax,
    connect: { timeout: 10_000 },
  });
}

/**
 * Where a request goes. The path is taken as it is written: a URL parser would resolve the dots of a job that is
 * called `..`, also where they are percent-encoded.
 */
function placeOf(url: string): { readonly origin: string; readonly path: string } {
  const { origin } = new URL(url);
  const pathAt = url.indexOf("/", url.indexOf("//") + 2);
  return { origin, path: pathAt < 0 ? "/" : url.slice(pathAt) };
}

async function readBytes(body: Dispatcher.ResponseData["body"]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > answerBytesMax) {
      throw new AnswerTooLarge(`an answer of more than ${String(answerBytesMax)} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

class AnswerTooLarge extends Error {}

function singleValued(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  // Not by assignment: a header may be called __proto__.
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
}

function timeoutOf({ timeoutMs }: TransportRequest): ExchangeFailure {
  return { kind: "timeout", message: `no whole answer within ${String(timeoutMs)} ms` };
}

function failureOf(error: unknown, callers: AbortSignal | undefined): ExchangeFailure {
  if (callers?.aborted === true) return { kind: "aborted", message: "the request was broken off" };
  if (error instanceof errors.HeadersOverflowError) {
    const message = `an answer with headers of more than ${String(headerBytesMax)} bytes`;
    return { kind: "too-large", message };
  }
  const message = messageOf(error);
  return toldInWords(message) ?? { kind: kindOf(error), message };
}

/** What undici says in its own words, and what happened. */
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

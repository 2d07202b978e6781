import { Agent, errors } from "undici";
import type { Dispatcher } from "undici";

import { Answer, monotonicNowMs } from "./exchange.ts";
import type { ExchangeFailure, FailureKind } from "./exchange.ts";

/** No answer of this API is larger; a target that sends without end is cut off here. */
export const answerBytesMax = 64 * 1_048_576;

export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface TransportResult {
  readonly answer: Answer | undefined;
  readonly failure: ExchangeFailure | undefined;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** Keep-alive connections to the target. One serves a whole run; `close` ends it. */
export class Transport {
  readonly #agent: Agent;

  /** @param connections how many connections to one origin may be open at once */
  constructor(connections = 128) {
    // The time-out of a request is its caller's; undici's own would answer with another error.
    this.#agent = new Agent({
      connections,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: 10_000 },
    });
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
    const { origin, pathname, search } = new URL(request.url);
    const response = await this.#agent.request({
      origin,
      path: pathname + search,
      method: request.method,
      headers: request.headers,
      body: request.body ?? null,
      signal,
    });
    return new Answer(
      response.statusCode,
      singleValued(response.headers),
      await readText(response.body),
    );
  }

  /** Ends all connections, also those with a request in flight. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

async function readText(body: Dispatcher.ResponseData["body"]): Promise<string> {
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
  return Buffer.concat(chunks).toString("utf8");
}

class AnswerTooLarge extends Error {}

function singleValued(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}

function timeoutOf({ timeoutMs }: TransportRequest): ExchangeFailure {
  return { kind: "timeout", message: `no whole answer within ${String(timeoutMs)} ms` };
}

function failureOf(error: unknown, callers: AbortSignal | undefined): ExchangeFailure {
  if (callers?.aborted === true) return { kind: "aborted", message: "the request was broken off" };
  return { kind: kindOf(error), message: messageOf(error) };
}

function kindOf(error: unknown): FailureKind {
  if (error instanceof AnswerTooLarge) return "too-large";
  if (error instanceof errors.HTTPParserError) return "protocol";
  if (error instanceof errors.HeadersOverflowError) return "too-large";
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

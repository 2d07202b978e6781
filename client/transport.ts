import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { callbackify } from "node:util";

import { Agent } from "undici";

import { textOf } from "./content-codings.ts";
import { PendingAnswer } from "./dispatch.ts";
import type { ReceivedAnswer } from "./dispatch.ts";
import { openSocket, throughPlainProxy, inUrl } from "./connect.ts";
import { Answer, monotonicNowMs } from "./exchange.ts";
import type { ExchangeFailure, SentRequest, TransportResult } from "./exchange.ts";
import { demandAllowed, headersOf } from "./request-rules.ts";
import type { RequestRules } from "./request-rules.ts";
import { RunningTimeout } from "./running-timeout.ts";
import { failureOf, headerBytesMax } from "./transport-failures.ts";

/** No answer of this API is larger: a record with all that a submission of 20 MB can bring. More is cut off here. */
export const answerBytesMax = 32 * 1_048_576;

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

/** What undici says of a connection on which an answer came that no request asked for. */
const unsolicited = "bad response";

/** Keep-alive connections to the target. One serves a whole run; `close` ends it. */
export class Transport {
  /** What holds for every request. */
  readonly rules: RequestRules;
  readonly #agent: Agent;
  /** Parsed once, since parsing takes a good part of the time of a short request. */
  readonly #origins: readonly URL[];
  /** One for each request that has to go over a connection of its own. */
  readonly #freshAgents = new Set<Agent>();
  #lastByteAtMs = -Infinity;
  /** Whether connections are kept for the next request; where not, each request has one of its own. */
  keepsAlive = true;
  /** How many requests may be under way at once; the others wait, unsent. */
  inFlightMax = Infinity;
  #inFlight = 0;
  /** How many connections are open that are kept. */
  #connections = 0;
  readonly #waiting: (() => void)[] = [];
  /** Called when a connection is ended because an answer came on it that no request asked for. */
  onUnsolicited: (() => void) | undefined;

  /** When the last part of a large body was sent, on the clock of `monotonicNowMs`. */
  get lastByteAtMs(): number {
    return this.#lastByteAtMs;
  }

  /** @param connections how many connections to one origin may be open at once */
  constructor(rules: RequestRules, connections = 128) {
    this.rules = rules;
    this.#origins = rules.origins.map((origin) => new URL(origin));
    this.#agent = newAgent(rules, { connections, pipelining: 1 });
    this.#agent.on("connect", () => {
      this.#connections += 1;
    });
    this.#agent.on("disconnect", (_origin, _clients, { message }) => {
      this.#connections -= 1;
      if (message === unsolicited) this.onUnsolicited?.();
    });
  }

  /** Sends one request, once: no retry, no redirect. Never rejects; a missing answer is a `failure`. */
  async send(request: TransportRequest): Promise<TransportResult> {
    if (this.#inFlight >= this.inFlightMax) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#inFlight += 1;
    try {
      return await this.#send(request);
    } finally {
      this.#inFlight -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #send(request: TransportRequest): Promise<TransportResult> {
    const sentAtMs = monotonicNowMs();
    const findsNoConnection = this.#findsNoConnection(request);
    let timedOut = false;
    let lastPartAtMs = -Infinity;
    try {
      const pending = this.#dispatch(request, () => (lastPartAtMs = monotonicNowMs()));
      const breakOff = (): void => {
        pending.breakOff(new Error("broken off"));
      };
      const expire = (): void => {
        // The time of an answer counts from the last byte that was sent.
        const leftMs = lastPartAtMs + request.timeoutMs - monotonicNowMs();
        if (leftMs > 0) {
          timeout = new RunningTimeout(expire, leftMs);
          return;
        }
        timedOut = true;
        breakOff();
      };
      let timeout = new RunningTimeout(expire, request.timeoutMs);
      if (request.signal?.aborted === true) breakOff();
      const signalled = request.signal && breakOffsOf(request.signal);
      signalled?.add(breakOff);
      try {
        const answer = answerOf(await pending.received);
        const answeredAtMs = monotonicNowMs();
        return { answer, failure: undefined, sentAtMs, answeredAtMs, findsNoConnection };
      } finally {
        timeout.clear();
        signalled?.delete(breakOff);
      }
    } catch (error) {
      const failure = timedOut ? timeoutOf(request) : failureOf(error, request.signal);
      return { answer: undefined, failure, sentAtMs, answeredAtMs: monotonicNowMs() };
    }
  }

  /** @param onPart called when a part of a large body goes out */
  #dispatch(request: TransportRequest, onPart: () => void): PendingAnswer {
    const url = this.#originOf(request) ?? new URL(request.url);
    demandAllowed(this.rules, url);
    const toProxy = throughPlainProxy(this.rules, url);
    const headers = headersOf(this.rules, url, request.headers);
    const { body, length } = bodyOf(request, () => {
      onPart();
      this.#lastByteAtMs = monotonicNowMs();
    });
    const sent = {
      origin: url.origin,
      path: toProxy === undefined ? pathOf(request.url) : request.url,
      method: request.method,
      headers: { ...headers, ...toProxy, ...length },
      body,
    };
    const pending = new PendingAnswer(answerBytesMax);
    const agent = this.#agentFor(request);
    agent.dispatch(sent, pending);
    const release = (): void => this.#release(agent);
    void pending.received.then(release, release);
    return pending;
  }

  /** The origin of the run that a URL begins with. */
  #originOf({ url }: TransportRequest): URL | undefined {
    return this.#origins.find(({ origin }) => url.startsWith(`${origin}/`));
  }

  /** Ends all connections, also those with a request in flight. */
  async close(): Promise<void> {
    await Promise.all([this.#agent, ...this.#freshAgents].map(async (agent) => agent.destroy()));
  }

  /** Whether a request that is under way finds no idle connection: each carries one request at a time. */
  #findsNoConnection({ newConnection = false }: TransportRequest): boolean {
    return newConnection || !this.keepsAlive || this.#inFlight > this.#connections;
  }

  /**
   * The agent for one request. A connection of its own is not announced to end with the answer: what stands between
   * may let the end overtake it.
   */
  #agentFor({ newConnection = false }: TransportRequest): Agent {
    if (this.keepsAlive && !newConnection) return this.#agent;
    const agent = newAgent(this.rules, { connections: 1, pipelining: 1 });
    this.#freshAgents.add(agent);
    return agent;
  }

  #release(agent: Agent): void {
    if (this.#freshAgents.delete(agent)) void agent.destroy();
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

/** A larger body is sent in parts, so that it is seen how far it has come. */
const wholeBytesMax = 1_048_576;
const partBytes = 65_536;

interface SentBody {
  readonly body: string | Buffer | Readable | null;
  /** The header that tells the length of a body which is sent in parts, but not in chunks. */
  readonly length?: { readonly "content-length": string };
}

/** A body that is given as a stream without a length is sent in chunks. @param onPart called when a part goes out */
function bodyOf({ body, chunkBytes }: TransportRequest, onPart: () => void): SentBody {
  const isWhole = chunkBytes === undefined && (body?.length ?? 0) <= wholeBytesMax;
  if (body === undefined || isWhole) return { body: body ?? null };
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body);
  const parts = Readable.from(partsOf(bytes, chunkBytes ?? partBytes, onPart));
  if (chunkBytes !== undefined) return { body: parts };
  return { body: parts, length: { "content-length": String(bytes.length) } };
}

function* partsOf(bytes: Buffer, size: number, onPart: () => void): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) {
    onPart();
    yield bytes.subarray(start, start + size);
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
      const origin = new URL(`${protocol}//${inUrl(hostname)}${port === "" ? "" : `:${port}`}`);
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

import { operationNamed, pathOf } from "../openapi/operations.ts";
import type { OperationName } from "../openapi/operations.ts";
import { monotonicNowMs } from "./exchange.ts";
import type { Exchange, ExchangeFailure, SentRequest, TransportResult } from "./exchange.ts";
import { madeUpKeyOf } from "./made-up-key.ts";
import type { MadeUpKey } from "./made-up-key.ts";
import { addSecrets, headersOf, shownHeaders } from "./request-rules.ts";
import { excerpt, redacted } from "./redactor.ts";
import type { Redactor } from "./redactor.ts";
import { redactSubmission } from "./submission-secrets.ts";
import type { OutgoingRequest, Translation } from "./translation.ts";
import type { Transport, TransportRequest } from "./transport.ts";

/** How the key is written into the authorization header (AUTH-03, AUTH-04). */
export type AuthorizationScheme = "raw" | "bearer";

export interface JobClientOptions {
  readonly transport: Transport;
  readonly redactor: Redactor;
  /** Service address, without `/v2` and without a slash at the end. */
  readonly baseUrl: string;
  readonly endpointId: string;
  /** `undefined` sends no authorization header at all. */
  readonly apiKey: string | undefined;
  readonly scheme?: AuthorizationScheme;
  /** Set where the key is not a real one but was made up. */
  readonly madeUpKey?: MadeUpKey | undefined;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** How a request is sent; absent: once, by the transport. */
  readonly send?: (request: TransportRequest, context: SendContext) => Promise<TransportResult>;
  /** Awaited before a request is sent, so it can delay it. If it gives a failure, or rejects, nothing is sent. */
  readonly admit?: (
    operation: OperationName,
    endpointId: string,
  ) => Promise<ExchangeFailure | undefined>;
  /** Absent: the target speaks as the specification does. */
  readonly translation?: Translation;
  /** Called in place of what the target lacks; where it throws, the call rejects with that. */
  readonly onLacking?:
    ((what: OperationName | "IN_PROGRESS", obstacle: string) => void) | undefined;
  /** Called with every exchange, in the order of the answers. */
  readonly onExchange?: (exchange: Exchange) => void;
}

/** What a request is about, for whoever sends it. */
export interface SendContext {
  readonly operation: OperationName;
  readonly endpointId: string;
  /** The job that it names. */
  readonly jobId: string | undefined;
  /** Whether the call has a time-out of its own: to exceed it is then a result, not a lost answer. */
  readonly hasOwnTimeout: boolean;
}

/** What one call may add to the operation itself. */
export interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Called when the request is sent, after whatever held it back. */
  readonly onSend?: () => void;
  /** Added to or replacing the headers of the call, in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body is sent in chunks of so many bytes, without its length (RFC 9112, 7.1). */
  readonly chunkBytes?: number;
}

interface Call extends CallOptions {
  readonly jobId?: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON; a string or bytes are sent as they are. */
  readonly body?: unknown;
  /** How long the target may take on top of the time-out, in milliseconds. */
  readonly waitMs?: number;
}

/** The shortest wait of runsync (SYNC-03), in milliseconds. */
export const waitMsMin = 1000;
/** The longest wait of runsync (SYNC-03), and its wait where the request names none (SYNC-05). */
export const waitMsMax = 300_000;
export const waitMsDefault = 90_000;

/** How long a runsync with this URL may hold its answer, in milliseconds; infinite where it has to refuse its wait. */
export function waitMsIn(url: string): number {
  const wait = new URL(url).searchParams.get("wait");
  if (wait === null) return waitMsDefault;
  const waitMs = /^\d+$/.test(wait) ? Number(wait) : NaN;
  return waitMs >= waitMsMin && waitMs <= waitMsMax ? waitMs : Infinity;
}

/** For how long a target may hold a runsync back, in milliseconds. */
function waitOf(wait: string | number | undefined): number {
  if (wait === undefined) return waitMsDefault;
  return typeof wait === "number" ? Math.min(Math.max(wait, 0), waitMsMax) : 0;
}

/**
 * Speaks the v2 job API and nothing more: one method per operation, no retry, no redirect, no throw on a status
 * or on a missing answer. Those are the things under test. What it reports is redacted; the body stays unread.
 */
export class JobClient {
  readonly options: JobClientOptions;
  readonly #address: URL;

  constructor(options: JobClientOptions) {
    this.options = options;
    this.#address = new URL(options.baseUrl);
    if (options.madeUpKey?.kind !== "own") options.redactor.add("another key", options.apiKey);
    addSecrets(options.transport.rules, options.redactor);
  }

  /** The same client with something changed: another key, another endpoint, another time-out. */
  with(changes: Partial<JobClientOptions>): JobClient {
    const madeUpKey = "apiKey" in changes ? undefined : this.options.madeUpKey;
    return new JobClient({ ...this.options, madeUpKey, ...changes });
  }

  /** The same client with a made-up key: reports show it, except for what it has of the real one. */
  withMadeUpKey(apiKey: string): JobClient {
    const madeUpKey = madeUpKeyOf(apiKey, this.options.apiKey);
    return this.with({ apiKey, scheme: "raw", madeUpKey });
  }

  /** POST /run. The body is sent as JSON; a string or a Buffer is sent as it is. */
  run(body: unknown, options?: CallOptions): Promise<Exchange> {
    return this.#call("run", { body, ...options });
  }

  /**
   * POST /runsync. `wait` is milliseconds, sent as given, so that a wrong one can be sent too. The target may use the
   * whole of it before it answers, or 90 s where it is absent: that comes on top of the time-out, unless the call names
   * its own.
   */
  runsync(
    body: unknown,
    { wait, ...options }: CallOptions & { wait?: string | number } = {},
  ): Promise<Exchange> {
    return this.#call("runsync", { body, query: { wait }, waitMs: waitOf(wait), ...options });
  }

  /** GET /status/<job_id>. `ttl` is milliseconds, sent as given. */
  status(
    jobId: string,
    { ttl, ...options }: CallOptions & { ttl?: string | number } = {},
  ): Promise<Exchange> {
    return this.#call("status", { jobId, query: { ttl }, ...options });
  }

  /** GET /stream/<job_id>. */
  stream(jobId: string, options?: CallOptions): Promise<Exchange> {
    return this.#call("stream", { jobId, ...options });
  }

  /** POST /cancel/<job_id>. */
  cancel(jobId: string, options?: CallOptions): Promise<Exchange> {
    return this.#call("cancel", { jobId, ...options });
  }

  /** POST /retry/<job_id>. */
  retry(jobId: string, options?: CallOptions): Promise<Exchange> {
    return this.#call("retry", { jobId, ...options });
  }

  /** POST /purge-queue. */
  purgeQueue(options?: CallOptions): Promise<Exchange> {
    return this.#call("purge-queue", options);
  }

  /** GET /health. */
  health(options?: CallOptions): Promise<Exchange> {
    return this.#call("health", options);
  }

  /** POST /openai/v1/chat/completions. */
  openai(body: unknown, options?: CallOptions): Promise<Exchange> {
    return this.#call("openai", { body, ...options });
  }

  /** GET /requests. */
  requests(options?: CallOptions): Promise<Exchange> {
    return this.#call("requests", options);
  }

  /** To be called where a job has to be shown IN_PROGRESS: `onLacking` is called where none is. */
  demandInProgress(): void {
    const { translation, onLacking } = this.options;
    const obstacle = translation?.obstacle("IN_PROGRESS");
    if (obstacle !== undefined) onLacking?.("IN_PROGRESS", obstacle);
  }

  async #call(operation: OperationName, call: Call = {}): Promise<Exchange> {
    const { redactor, baseUrl, translation, transport } = this.options;
    const { send = async (request) => transport.send(request) } = this.options;
    redactSubmission(call.body, redactor);
    const outgoing = this.#outgoing(operation, call);
    const { method, body } = outgoing;
    const url = `${baseUrl}${outgoing.path}`;
    const headers = headersOf(transport.rules, this.#address, outgoing.headers);
    const request = this.#shown({ method, url, headers, body }, call);
    const obstacle = translation?.obstacle(operation);
    if (obstacle !== undefined) {
      this.options.onLacking?.(operation, obstacle);
      return { operation, request, ...notSent({ kind: "lacking", message: obstacle }) };
    }
    const heldBack = await whyNotSent(async () =>
      this.options.admit?.(operation, this.options.endpointId),
    );
    if (heldBack !== undefined) return { operation, request, ...heldBack };

    call.onSend?.();
    const signal = call.signal ?? this.options.signal;
    const result = await send(
      {
        method,
        url,
        headers,
        body,
        chunkBytes: call.chunkBytes,
        timeoutMs: this.#timeoutOf(call),
        signal,
      },
      {
        operation,
        endpointId: this.options.endpointId,
        jobId: call.jobId,
        hasOwnTimeout: call.timeoutMs !== undefined,
      },
    );
    const plain: Exchange = { operation, request, ...result };
    const exchange = translation?.exchange(plain) ?? plain;
    this.options.onExchange?.(exchange);
    return exchange;
  }

  #timeoutOf({ timeoutMs, waitMs = 0 }: Call): number {
    const { timeoutMs: usual = this.options.transport.rules.timeoutMs } = this.options;
    return timeoutMs ?? usual + waitMs;
  }

  /** A request without its secrets. */
  #shown(
    {
      method,
      url,
      headers,
      body,
    }: Pick<SentRequest, "method" | "url" | "headers"> & Pick<OutgoingRequest, "body">,
    { jobId, chunkBytes }: Call,
  ): SentRequest {
    const { redactor, endpointId, apiKey, madeUpKey, transport } = this.options;
    return {
      method,
      url: redactor.redact(url),
      headers: {
        ...shownHeaders(transport.rules, hideKey(headers, madeUpKey)),
        ...(chunkBytes === undefined ? {} : { "transfer-encoding": "chunked" }),
      },
      keyName: apiKey === undefined ? undefined : redactor.nameOf(apiKey),
      madeUpKey: apiKey === undefined ? undefined : madeUpKey,
      body: body === undefined ? undefined : excerpt(body, redactor),
      bodyBytes: body === undefined ? 0 : Buffer.byteLength(body),
      endpointId,
      jobId,
    };
  }

  /** The request in the target's terms. */
  #outgoing(operation: OperationName, call: Call): OutgoingRequest {
    const body = encode(call.body);
    const endpointSegment = segmentOf(this.options.endpointId);
    const path = pathOf(operation, segmentOf(call.jobId ?? ""));
    const request: OutgoingRequest = {
      operation,
      method: operationNamed[operation].method,
      path: `/v2/${endpointSegment}${path}${queryOf(call.query)}`,
      endpointSegment,
      headers: this.#headers(body, call.headers),
      body,
    };
    return this.options.translation?.request(request) ?? request;
  }

  #headers(
    body: string | Buffer | undefined,
    extra: CallOptions["headers"],
  ): Record<string, string> {
    const { apiKey, scheme } = this.options;
    return {
      accept: "application/json",
      ...(apiKey === undefined
        ? {}
        : { authorization: scheme === "bearer" ? `Bearer ${apiKey}` : apiKey }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...extra,
    };
  }
}

/**
 * Any text as one segment of a path. Dots alone would lead elsewhere (RFC 3986, 3.3), and half a surrogate pair, which
 * a target may have put into an id, has no encoding at all.
 */
export function segmentOf(text: string): string {
  if (/^[\w-]+$/u.test(text)) return text;
  const encoded = encodeURIComponent(text.replaceAll(/\p{Cs}/gu, "\uFFFD"));
  return /^\.{1,2}$/u.test(encoded) ? encoded.replaceAll(".", "%2E") : encoded;
}

/** The result of a request that was not admitted, or `undefined` where it was. */
async function whyNotSent(
  admit: () => Promise<ExchangeFailure | undefined>,
): Promise<TransportResult | undefined> {
  const sentAtMs = monotonicNowMs();
  try {
    const failure = await admit();
    return failure && notSent(failure, sentAtMs);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return notSent({ kind: "aborted", message }, sentAtMs);
  }
}

function notSent(failure: ExchangeFailure, sentAtMs = monotonicNowMs()): TransportResult {
  return { answer: undefined, failure, sentAtMs, answeredAtMs: monotonicNowMs() };
}

function queryOf(query: Call["query"]): string {
  const given = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  if (given.length === 0) return "";
  return `?${new URLSearchParams(Object.fromEntries(given)).toString()}`;
}

function encode(body: unknown): string | Buffer | undefined {
  if (body === undefined || typeof body === "string" || Buffer.isBuffer(body)) return body;
  return JSON.stringify(body);
}

function hideKey(
  headers: Readonly<Record<string, string>>,
  madeUpKey: MadeUpKey | undefined,
): Readonly<Record<string, string>> {
  if (headers["authorization"] === undefined || madeUpKey?.kind === "own") return { ...headers };
  const scheme = headers["authorization"].startsWith("Bearer ") ? "Bearer " : "";
  const { before = "", after = "" } = madeUpKey?.kind === "edited" ? madeUpKey : {};
  return { ...headers, authorization: scheme + before + redacted + after };
}

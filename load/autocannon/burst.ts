import type autocannon from "autocannon";
import { blankTraceparent, writeTraceIds } from "../../client/request-rules.ts";
import type { RequestRules } from "../../client/request-rules.ts";
import type { LoadSupervision } from "../meter.ts";
import { countFinalAnswers } from "./final-answers.ts";
import { openRoute } from "./route.ts";
import type { BurstRoute } from "./route.ts";
import type { EventEmitter } from "node:events";

const name = "traceparent: ";

/**
 * Gives each request of a connection a trace of its own. Overwrites the bytes of the request, because building it anew
 * takes a third more time. Only one request is in flight at a time, so its bytes are free when the next is sent.
 */
function traceEach(client: EventEmitter): void {
  let known: Buffer | undefined;
  let at = 0;
  client.on("request", () => {
    const bytes = bytesOf(client);
    if (bytes !== known) at = bytes.indexOf(name, 0, "latin1") + name.length;
    known = bytes;
    writeTraceIds(bytes, at);
  });
}

/** The request that the connection sends next. @throws TypeError where autocannon does not show it */
function bytesOf(client: EventEmitter): Buffer {
  if (showsRequests(client)) return client.getRequestBuffer();
  throw new TypeError("autocannon does not show its requests: no traceparent can be given to each");
}

function showsRequests(client: object): client is { readonly getRequestBuffer: () => Buffer } {
  return "getRequestBuffer" in client && typeof client.getRequestBuffer === "function";
}

/** The request that a burst sends again and again. */
export interface BurstRequest {
  readonly method: "GET" | "POST";
  /** The path and query; a function gives them anew for each request, which costs a third more time. */
  readonly path: string | (() => string);
  /** The path that the meter is told where it differs from request to request. */
  readonly pathShown?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface BurstOptions extends LoadSupervision {
  readonly rules: RequestRules;
  /** The origin, for instance http://127.0.0.1:8080 */
  readonly origin: string;
  readonly request: BurstRequest;
  /** How many requests, as fast as the connections take them. */
  readonly amount: number;
  readonly connections: number;
  readonly timeLimitMs: number;
}

/** The result of a burst, counted from its answers. */
export interface Burst {
  readonly sent: number;
  readonly accepted: number;
  readonly refused: number;
  /** Answered neither 2xx nor 429. */
  readonly other: number;
  /** How often each of those statuses came. */
  readonly otherStatuses: Readonly<Record<number, number>>;
  readonly unanswered: number;
  /** On the monotonic clock: before the first request, after the last answer. */
  readonly startMs: number;
  readonly endMs: number;
  /** How long each answer took, in the order they came. */
  readonly latenciesMs: readonly number[];
}

/** autocannon ends only at a tick, by default one of a second. */
const tickMs = 50;

/**
 * Sends a burst by autocannon. Everything is counted here: its own duration is rounded up to a tick
 * and its latencies to whole milliseconds. No rate is set: with one it sends bursts each second, and
 * corrects for coordinated omission by samples that it makes up.
 */
export async function fireBurst(options: BurstOptions): Promise<Burst> {
  const route = await openRoute(options.rules, new URL(options.origin));
  try {
    return await fireOn(route, options);
  } finally {
    await route.close();
  }
}

async function fireOn(route: BurstRoute, options: BurstOptions): Promise<Burst> {
  const { amount, timeLimitMs, signal, meter } = options;
  // Loaded only here: 10 MB that no other command needs.
  const { default: sendBurst } = await import("autocannon");
  const counts = { accepted: 0, refused: 0, other: 0 };
  const otherStatuses: Record<number, number> = {};
  const latenciesMs: number[] = [];
  const startMs = performance.now();
  let endMs = startMs;

  await new Promise<void>((done, fail) => {
    // It may call back at once, before anything below is set up.
    const instance = sendBurst(settingsOf(route, options), (error: unknown) => {
      if (error instanceof Error) fail(error);
      else done();
    });
    const stop = (): void => instance.stop();
    const limit = setTimeout(stop, timeLimitMs);
    signal?.addEventListener("abort", stop);
    if (signal?.aborted === true) stop();
    route.failed.addEventListener("abort", stop);
    instance.on("done", () => {
      clearTimeout(limit);
      signal?.removeEventListener("abort", stop);
    });
    instance.on("response", (_client, status, _bytes, latencyMs) => {
      const kind = kindOf(status);
      counts[kind] += 1;
      if (kind === "other") otherStatuses[status] = (otherStatuses[status] ?? 0) + 1;
      // autocannon does not tell when it sends; one request is in flight on each connection all the time.
      const line = `${options.request.method} ${pathOf(options.request)}`;
      meter?.sent(line);
      meter?.answered(status, line);
      latenciesMs.push(latencyMs);
      endMs = performance.now();
    });
  });

  const answered = counts.accepted + counts.refused + counts.other;
  const unanswered = Math.max(0, amount - answered);
  return { ...counts, otherStatuses, sent: amount, unanswered, startMs, endMs, latenciesMs };
}

function settingsOf(
  route: BurstRoute,
  { rules, request, ...options }: BurstOptions,
): autocannon.Options {
  const { method, path, body } = request;
  const { url, prefix, socketPath } = route;
  const headers = {
    ...route.headers,
    ...(rules.isTraced ? { traceparent: blankTraceparent } : {}),
    ...request.headers,
  };
  return {
    url,
    ...(socketPath === undefined ? {} : { socketPath }),
    setupClient: (client) => {
      countFinalAnswers(client);
      if (rules.isTraced) traceEach(client);
    },
    amount: options.amount,
    connections: Math.min(options.connections, options.amount),
    timeout: Math.ceil(Math.min(options.timeLimitMs, rules.timeoutMs) / 1_000),
    sampleInt: tickMs,
    requests: [
      {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        ...(typeof path === "string"
          ? { path: prefix + path }
          : { setupRequest: (built) => ({ ...built, path: prefix + path() }) }),
      },
    ],
  };
}

function kindOf(status: number): "accepted" | "refused" | "other" {
  if (status >= 200 && status < 300) return "accepted";
  return status === 429 ? "refused" : "other";
}

function pathOf({ path, pathShown = "one of many paths" }: BurstRequest): string {
  return typeof path === "string" ? path : pathShown;
}

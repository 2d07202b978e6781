import { demandAllowed } from "../../client/request-rules.ts";
import type { RequestRules } from "../../client/request-rules.ts";
import type { LoadMeter, LoadSupervision } from "../meter.ts";
import { ProbeConnection } from "./connection.ts";
import type { ProbeExchange } from "./connection.ts";
import { stamped } from "./request.ts";
import type { StampedRequest, WireRequest } from "./request.ts";

export interface ProbePoolOptions extends LoadSupervision {
  /** Connections that send at once, at most; default 64. */
  readonly connectionsMax?: number;
  /** How long an answer may take; absent: as the rules say. */
  readonly timeoutMs?: number;
}

/** Requests that are in flight or lack their last byte, each on a connection of its own. */
export interface PoolRequests {
  /** What becomes of each, in the order of the requests. */
  readonly exchanges: readonly Promise<ProbeExchange>[];
  /** Breaks off `count` requests, beginning with the one at place `from` in that order. */
  breakOff(from: number, count: number): void;
}

/** Requests that are sent except for their last byte; a target may answer some of them early. */
export interface HeldBodies extends PoolRequests {
  /** Sends the last bytes, one right after the other, except of requests that already have their answer. */
  release(): void;
}

const stopped = "the load was stopped before it was sent";

/** Connections to one origin that are kept and used again. */
export class Pool {
  readonly #origin: URL;
  readonly #rules: RequestRules;
  readonly #connectionsMax: number;
  readonly #timeoutMs: number;
  readonly #meter: LoadMeter | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #idle: ProbeConnection[] = [];
  readonly #all = new Set<ProbeConnection>();

  constructor(origin: URL, rules: RequestRules, options: ProbePoolOptions = {}) {
    const { connectionsMax = 64, timeoutMs = rules.timeoutMs, meter, signal } = options;
    demandAllowed(rules, origin);
    this.#origin = origin;
    this.#rules = rules;
    this.#meter = meter;
    this.#signal = signal;
    this.#connectionsMax = connectionsMax;
    this.#timeoutMs = timeoutMs;
  }

  /** Sends one request on a connection of its own. */
  async send(wire: WireRequest, ready = stamped(wire)): Promise<ProbeExchange> {
    const { line } = wire;
    const beganMs = performance.now();
    if (this.#signal?.aborted === true) {
      return { sentMs: beganMs, answeredMs: beganMs, failure: stopped };
    }
    const connection = this.#take();
    try {
      if (!connection.isOpen) await connection.open();
    } catch (error) {
      this.#all.delete(connection);
      const failure = error instanceof Error ? error.message : String(error);
      return { sentMs: beganMs, answeredMs: performance.now(), failure };
    }
    this.#meter?.sent(line);
    const exchange = await connection.exchange(ready);
    this.#meter?.answered(exchange.answer?.status ?? 0, line);
    this.#giveBack(connection);
    return exchange;
  }

  /** Sends all requests as fast as `atOnce` connections can; the exchanges are in the order of the requests. */
  async burst(
    requests: readonly WireRequest[],
    atOnce = this.#connectionsMax,
  ): Promise<readonly ProbeExchange[]> {
    const exchanges: ProbeExchange[] = [];
    let next = 0;
    const senders = Array.from({ length: Math.min(atOnce, requests.length) }, async () => {
      for (;;) {
        const index = next;
        next += 1;
        const request = requests[index];
        if (request === undefined) return;
        exchanges[index] = await this.send(request);
      }
    });
    await Promise.all(senders);
    return exchanges;
  }

  /** Sends each request whole on a connection of its own; the connections are opened first. */
  async putInFlight(requests: readonly WireRequest[]): Promise<PoolRequests> {
    const connections = await this.#opened(requests.length);
    return this.#inFlight(connections, requests, (connection, whole) => connection.exchange(whole));
  }

  /**
   * Sends everything but the last byte of each request, each on a connection of its own. Of a request
   * without a body, the last byte is that of its head.
   * @throws the error of a connection that could not be opened.
   */
  async holdBodies(requests: readonly WireRequest[]): Promise<HeldBodies> {
    const connections = await this.#opened(requests.length);
    const flight = this.#inFlight(connections, requests, (connection, whole) =>
      connection.begin({ ...whole, bytes: whole.bytes.subarray(0, -1) }),
    );
    const release = (): void => {
      connections.forEach((connection, at) => {
        const bytes = requests[at]?.bytes;
        if (bytes !== undefined) connection.complete(bytes.subarray(-1));
      });
    };
    return { ...flight, release };
  }

  /** Closes every connection; requests in flight fail. */
  close(): void {
    for (const connection of this.#all) connection.close();
    this.#all.clear();
    this.#idle.length = 0;
  }

  #inFlight(
    connections: readonly ProbeConnection[],
    requests: readonly WireRequest[],
    send: (connection: ProbeConnection, request: StampedRequest) => Promise<ProbeExchange>,
  ): PoolRequests {
    // All requests are prepared before the first is sent, so that they go out together.
    const ready = requests.map((request) => ({ line: request.line, whole: stamped(request) }));
    const pending = connections.flatMap((connection, at) => {
      const request = ready[at];
      if (request === undefined) return [];
      return [{ connection, line: request.line, exchange: send(connection, request.whole) }];
    });
    return {
      exchanges: pending.map(async ({ connection, line, exchange }) => {
        this.#meter?.sent(line);
        const result = await exchange;
        this.#meter?.answered(result.answer?.status ?? 0, line);
        this.#giveBack(connection);
        return result;
      }),
      breakOff: (from, count) => {
        for (const { connection } of pending.slice(from, from + count)) connection.close();
      },
    };
  }

  async #opened(count: number): Promise<readonly ProbeConnection[]> {
    if (this.#signal?.aborted === true) throw new Error(stopped);
    const connections = Array.from({ length: count }, () => this.#take());
    const opened = await Promise.allSettled(connections.map((connection) => connection.open()));
    const failed = opened.find((result) => result.status === "rejected");
    if (failed === undefined) return connections;
    for (const connection of connections) {
      connection.close();
      this.#all.delete(connection);
    }
    throw failed.reason;
  }

  #take(): ProbeConnection {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const connection = new ProbeConnection(this.#origin, this.#rules, this.#timeoutMs);
    this.#all.add(connection);
    return connection;
  }

  #giveBack(connection: ProbeConnection): void {
    if (connection.isOpen) this.#idle.push(connection);
    else this.#all.delete(connection);
  }
}

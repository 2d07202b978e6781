import type { Tier } from "../../openapi/operations.ts";
import type { LoadSamples } from "../../reports/model.ts";
import { partsOf, sendParts } from "../limiters/burst-plan.ts";
import { traceSteps } from "../limiters/trace.ts";
import type { TracedRequest, TraceStep } from "../limiters/trace.ts";
import type { ProbeExchange } from "../probe/connection.ts";
import { generatorError } from "../probe/generator-error.ts";
import type { GeneratorError } from "../probe/generator-error.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import { windowMs } from "../../openapi/operations.ts";
import { isLetThrough } from "./tally.ts";
import type { Tally } from "./tally.ts";

/** On a virtual clock all requests of a step have one time: real time scaled by this keeps them in order. */
const trifle = 1e-9;
/** A target's clock may tell whole milliseconds only. */
const wholeMs = 1;

interface Logged {
  readonly intendedMs: number;
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly exchange: ProbeExchange;
}

/** Sends the steps of a trace at their times and logs every request: intended, sent, answered, status. */
export class LimitTrace {
  readonly tier: Tier;
  readonly tallies: Tally[] = [];
  readonly #endpoint: LoadEndpoint;
  readonly #beganMs: number;
  readonly #clockBeganMs = performance.now();
  readonly #log: Logged[] = [];
  /** All requests of the operation on an endpoint that other checks use, too. */
  readonly #heard: ProbeExchange[] = [];
  readonly #starts: { intendedMs: number; sentMs: number }[] = [];

  constructor(endpoint: LoadEndpoint, tier: Tier) {
    this.tier = tier;
    this.#endpoint = endpoint;
    this.#beganMs = endpoint.nowMs;
    // Other traces that are under way at the same time try this operation, too.
    if (!endpoint.access.isFresh)
      endpoint.usage.follow(tier.operation, (exchanges) => this.#heard.push(...exchanges));
  }

  /** Milliseconds of the endpoint's clock since the trace began. */
  get nowMs(): number {
    return this.#endpoint.nowMs - this.#beganMs;
  }

  get isVirtual(): boolean {
    return this.#endpoint.access.isVirtual;
  }

  /** Sends a step at its time; returns its parts without the requests that only watch after a burst. */
  async step(step: TraceStep): Promise<readonly Tally[]> {
    await this.#endpoint.waitUntil(this.#beganMs + step.atMs);
    const { limit } = this.tier;
    const parts = partsOf(step, { placeMs: windowMs / limit, isStill: this.isVirtual });
    const burst: Tally[] = [];
    await sendParts(parts, async ({ count, afterMs, isWatching }) => {
      if (afterMs > 0) await this.#endpoint.wait(afterMs);
      const sent = await this.#send(count, burst.length === 0 ? step.atMs : undefined);
      if (!isWatching) burst.push(sent);
      return { isRefused: !sent.exchanges.every(isLetThrough), nowMs: this.nowMs };
    });
    return burst;
  }

  /** How long requests took together, on the endpoint's clock. */
  lengthOf(parts: readonly Tally[]): number {
    if (this.isVirtual) return 0;
    const exchanges = parts.flatMap((part) => part.exchanges);
    const firstMs = Math.min(...exchanges.map(({ sentMs }) => sentMs));
    return Math.max(...exchanges.map(({ answeredMs }) => answeredMs)) - firstMs;
  }

  /** Closes the connections of its endpoint. */
  close(): void {
    this.#endpoint.close();
  }

  /** Stops recording what others send to the operation. */
  end(): void {
    this.#endpoint.usage.follow(this.tier.operation);
  }

  /** The requests of this trace, and those that others sent to the operation. */
  get #all(): readonly Omit<Logged, "intendedMs">[] {
    const own = new Set(this.#log.map(({ exchange }) => exchange));
    const others = this.#heard.filter(
      (exchange) => !own.has(exchange) && exchange.answer !== undefined,
    );
    if (others.length === 0) return this.#log;
    const since = (ms: number): number => ms - this.#clockBeganMs;
    return [
      ...this.#log,
      ...others.map((exchange) => ({
        sentMs: since(exchange.sentMs),
        answeredMs: since(exchange.answeredMs),
        exchange,
      })),
    ].toSorted((one, other) => one.sentMs - other.sentMs);
  }

  /** Sends one request more than the trace asks for, and returns whether it was refused. */
  async refusesOneMore(): Promise<boolean> {
    const { exchanges } = await this.#send(1);
    return !exchanges.every(isLetThrough);
  }

  /** The requests as models of limiters read them. */
  get requests(): readonly TracedRequest[] {
    return this.#all.map(({ sentMs, answeredMs, exchange }) => ({
      sentMs,
      answeredMs,
      isAdmitted: isLetThrough(exchange),
    }));
  }

  /** What the endpoint's clock may be rounded to, in milliseconds. */
  get clockGrainMs(): number {
    return this.isVirtual ? 0 : wholeMs;
  }

  /** Whether the last step that was sent is the last of all. */
  get isComplete(): boolean {
    const lastMs = traceSteps(this.tier.limit, windowMs).at(-1)?.atMs;
    return this.#starts.at(-1)?.intendedMs === lastMs;
  }

  get exchanges(): readonly ProbeExchange[] {
    return this.#all.map(({ exchange }) => exchange);
  }

  /** How late the first request of each step was. */
  get error(): GeneratorError {
    return generatorError(this.#starts);
  }

  /** How long answers took. */
  get latency(): GeneratorError {
    const zero = this.#log.map(({ sentMs, answeredMs }) => ({
      intendedMs: 0,
      sentMs: this.isVirtual ? 0 : answeredMs - sentMs,
    }));
    return generatorError(zero);
  }

  get samples(): LoadSamples {
    const { operation, limit, cap } = this.tier;
    const of = (pick: (one: Logged) => number): Float64Array => Float64Array.from(this.#log, pick);
    return {
      name: `${operation}: burst, single requests, a second burst, small ones after it`,
      operation,
      clock: this.isVirtual ? "virtual" : "real",
      intendedMs: of(({ intendedMs }) => intendedMs),
      sentMs: of(({ sentMs }) => sentMs),
      answeredMs: of(({ answeredMs, exchange }) =>
        exchange.answer === undefined ? NaN : answeredMs,
      ),
      status: Uint16Array.from(this.#log, ({ exchange }) => exchange.answer?.status ?? 0),
      limit,
      windowMs,
      ...(cap === undefined ? {} : { cap }),
    };
  }

  async #send(count: number, intendedMs?: number): Promise<Tally> {
    const atMs = this.nowMs;
    const sent = await this.#endpoint.send(this.tier.operation, count);
    this.tallies.push(sent);
    const clock = (ms: number): number =>
      this.isVirtual ? atMs + (ms - this.#clockBeganMs) * trifle : ms - this.#clockBeganMs;
    const logged = sent.exchanges.map((exchange) => ({
      sentMs: clock(exchange.sentMs),
      answeredMs: clock(exchange.answeredMs),
      exchange,
    }));
    const firstMs = Math.min(...logged.map(({ sentMs }) => sentMs));
    if (intendedMs !== undefined) this.#starts.push({ intendedMs, sentMs: firstMs });
    // The other requests of a burst are intended for the moment at which a connection is free for them.
    for (const one of logged) {
      const isFirst = one.sentMs === firstMs;
      this.#log.push({ ...one, intendedMs: isFirst ? (intendedMs ?? firstMs) : one.sentMs });
    }
    return sent;
  }
}

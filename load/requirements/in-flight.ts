import type { ProbeExchange } from "../probe/connection.ts";
import type { HeldBodies, PoolRequests } from "../probe/pool.ts";
import type { ProbeRequest } from "../probe/request.ts";
import { isAccepted, tally } from "./tally.ts";
import type { Tally } from "./tally.ts";

/** Requests in flight whose answers may be held back. */
export class InFlight {
  readonly #inFlight: PoolRequests;
  readonly #requests: readonly ProbeRequest[];
  readonly #apiKey: string;
  #pending: number;
  #accepted = 0;

  constructor(inFlight: PoolRequests, requests: readonly ProbeRequest[], apiKey: string) {
    this.#inFlight = inFlight;
    this.#requests = requests;
    this.#apiKey = apiKey;
    this.#pending = inFlight.exchanges.length;
    for (const exchange of inFlight.exchanges) void this.#count(exchange);
  }

  /** How many have no answer yet. */
  get pending(): number {
    return this.#pending;
  }

  /** How many were accepted, though they were to be held. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Breaks off the first ones. */
  breakOff(count: number): void {
    this.#inFlight.breakOff(0, count);
  }

  /** Settles when every request has its answer. */
  async end(): Promise<Tally> {
    return tally(await Promise.all(this.#inFlight.exchanges), this.#requests, this.#apiKey);
  }

  async #count(pending: Promise<ProbeExchange>): Promise<void> {
    const exchange = await pending;
    this.#pending -= 1;
    if (isAccepted(exchange)) this.#accepted += 1;
  }
}

/** Requests whose last byte is withheld. */
export class HeldInFlight extends InFlight {
  readonly #bodies: HeldBodies;

  constructor(bodies: HeldBodies, requests: readonly ProbeRequest[], apiKey: string) {
    super(bodies, requests, apiKey);
    this.#bodies = bodies;
  }

  /** Sends the last bytes together. */
  release(): void {
    this.#bodies.release();
  }
}

import type { ProbeExchange } from "../probe/connection.ts";
import type { HeldBodies, PoolRequests } from "../probe/pool.ts";
import type { ProbeRequest } from "../probe/request.ts";
import { isAccepted, tally } from "./tally.ts";
import type { Tally } from "./tally.ts";

/** Requests in flight whose answers may be held back, or whose last bytes are withheld. */
export class InFlight {
  readonly #inFlight: PoolRequests | HeldBodies;
  readonly #requests: readonly ProbeRequest[];
  readonly #apiKey: string;
  #pending: number;
  #accepted = 0;

  constructor(
    inFlight: PoolRequests | HeldBodies,
    requests: readonly ProbeRequest[],
    apiKey: string,
  ) {
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

  /** Sends the last bytes together, where they are withheld. */
  release(): void {
    if ("release" in this.#inFlight) this.#inFlight.release();
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

import { tiers } from "../../openapi/operations.ts";
import type { Tier } from "../../openapi/operations.ts";
import type { SeenExchange } from "./seen-exchange.ts";
import type { SeenRequirements } from "./seen.ts";

// Rates and requests in flight (docs/specification.md#rate-limits), where nobody else uses the endpoint.

const windowMs = 10_000;
/** Every kind of limiter has forgotten what is older: a window that began before, and one after it. */
const memoryMs = 2 * windowMs;

interface Passed {
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** Requests of one operation in the order in which they were answered; what is too old is forgotten. */
class PassedRequests {
  readonly firstMs: number;
  #all: Passed[] = [];
  /** The first that is not too old. */
  #from = 0;

  constructor(firstMs: number) {
    this.firstMs = firstMs;
  }

  add(passed: Passed): void {
    this.#all.push(passed);
  }

  /** How many were answered after that moment. */
  countSince(ms: number): number {
    while ((this.#all[this.#from]?.answeredAtMs ?? Number.POSITIVE_INFINITY) <= ms) this.#from += 1;
    if (this.#from > 100_000) {
      this.#all = this.#all.slice(this.#from);
      this.#from = 0;
    }
    return this.#all.length - this.#from;
  }

  /** How many of them were in flight at that moment. */
  inFlightAt(ms: number): number {
    let count = 0;
    for (let index = this.#all.length - 1; index >= this.#from; index -= 1) {
      const passed = this.#all[index];
      if (passed === undefined || passed.answeredAtMs < ms) break;
      if (passed.sentAtMs <= ms) count += 1;
    }
    return count;
  }
}

interface AskedOperation {
  readonly all: PassedRequests;
  readonly accepted: PassedRequests;
}

/** Follows how often and how many at once each operation of an endpoint was asked. */
export class KnownRates {
  readonly #requirements: SeenRequirements;
  readonly #allowance: number;
  readonly #asked = new Map<string, AskedOperation>();

  /** @param allowance the limits' allowance for each worker: with more than 0 the effective limit may be higher */
  constructor(requirements: SeenRequirements, allowance: number) {
    this.#requirements = requirements;
    this.#allowance = allowance;
  }

  /** Takes exchanges in the order in which they were answered. */
  observe(seen: SeenExchange): void {
    const tier = tiers.find(({ operation }) => operation === seen.operation);
    if (tier === undefined) return;
    const { sentAtMs, answeredAtMs, endpointId, operation } = seen;
    const key = `${endpointId} ${operation}`;
    const asked = this.#asked.get(key) ?? {
      all: new PassedRequests(sentAtMs),
      accepted: new PassedRequests(sentAtMs),
    };
    this.#asked.set(key, asked);
    if (seen.status === 429) this.#judgeRefused(seen, tier, asked);
    asked.all.add({ sentAtMs, answeredAtMs });
    if (!seen.isSuccess) return;
    asked.accepted.add({ sentAtMs, answeredAtMs });
    if (this.#allowance === 0) this.#judgeAccepted(seen, tier, asked);
  }

  /** A 429 although neither the limit nor the cap can have been reached: half of either at most. */
  #judgeRefused(seen: SeenExchange, { limit, cap, rate }: Tier, { all }: AskedOperation): void {
    // What was asked before the recording began is not known.
    if (seen.sentAtMs - all.firstMs < memoryMs) return;
    const recent = all.countSince(seen.sentAtMs - memoryMs);
    const together = all.inFlightAt(seen.sentAtMs);
    if (recent >= limit / 2 || together >= (cap ?? Number.POSITIVE_INFINITY) / 2) return;
    const expected = `no 429 below ${limit} requests in 10 s`;
    const got = `429 after ${recent} requests in 20 s, ${together} of them in flight`;
    this.#requirements.tell(seen, [rate, false, expected, got]);
  }

  /** More were accepted than any kind of limiter lets through: twice the limit across two windows. */
  #judgeAccepted(seen: SeenExchange, tier: Tier, { accepted }: AskedOperation): void {
    const { limit, rate, cap, concurrency } = tier;
    const within = accepted.countSince(seen.answeredAtMs - windowMs);
    if (within > 2 * limit) {
      const expected = `at most ${limit} accepted in 10 s, ${2 * limit} across two windows`;
      this.#requirements.tell(seen, [rate, false, expected, `${within} accepted within 10 s`]);
    }
    const together = accepted.inFlightAt(seen.sentAtMs);
    if (cap === undefined || concurrency === undefined || together <= 2 * cap) return;
    const got = `${together} accepted at once`;
    this.#requirements.tell(seen, [concurrency, false, `at most ${cap} in flight`, got]);
  }
}

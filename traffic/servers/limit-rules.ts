import { tiers } from "../../openapi/operations.ts";
import type { Tier } from "../../openapi/operations.ts";
import { placeOf } from "./seen-exchange.ts";
import type { SeenExchange } from "./seen-exchange.ts";
import type { SeenRequirements } from "./seen.ts";

// Rates and requests in flight (docs/specification.md#rate-limits), where nobody else uses the endpoint.

const windowMs = 10_000;
/** Every kind of limiter has forgotten what is older: a window that began before, and one after it. */
const memoryMs = 2 * windowMs;

interface Passed {
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  readonly isAccepted: boolean;
}

/** Follows how often and how many at once each operation of an endpoint was asked. */
export class KnownRates {
  readonly #requirements: SeenRequirements;
  readonly #allowance: number;
  readonly #passed = new Map<string, Passed[]>();
  readonly #firstMs = new Map<string, number>();

  /** @param allowance the limits' allowance for each worker: with more than 0 the effective limit may be higher */
  constructor(requirements: SeenRequirements, allowance: number) {
    this.#requirements = requirements;
    this.#allowance = allowance;
  }

  observe(seen: SeenExchange): void {
    const tier = tiers.find(({ operation }) => operation === seen.operation);
    if (tier === undefined) return;
    const key = `${seen.endpointId} ${seen.operation}`;
    const firstMs = this.#firstMs.get(key) ?? seen.sentAtMs;
    this.#firstMs.set(key, Math.min(firstMs, seen.sentAtMs));
    const passed = (this.#passed.get(key) ?? []).filter(
      ({ answeredAtMs }) => answeredAtMs > seen.answeredAtMs - 3 * memoryMs,
    );
    this.#passed.set(key, passed);
    if (seen.status === 429) this.#judgeRefused(seen, tier, passed);
    const { sentAtMs, answeredAtMs, status } = seen;
    passed.push({ sentAtMs, answeredAtMs, isAccepted: status !== 429 && status < 500 });
    if (seen.isSuccess) this.#judgeAccepted(seen, tier, passed);
  }

  /** A 429 although neither the limit nor the cap can have been reached. */
  #judgeRefused(seen: SeenExchange, { limit, cap, rate }: Tier, passed: readonly Passed[]): void {
    // What was asked before the recording began is not known.
    const key = `${seen.endpointId} ${seen.operation}`;
    if (seen.sentAtMs - (this.#firstMs.get(key) ?? 0) < memoryMs) return;
    const recent = passed.filter(({ answeredAtMs }) => answeredAtMs > seen.sentAtMs - memoryMs);
    const together = passed.filter(
      ({ sentAtMs, answeredAtMs }) => sentAtMs < seen.answeredAtMs && answeredAtMs > seen.sentAtMs,
    );
    const isFarBelow = recent.length < limit / 2 && together.length < (cap ?? 1e9) / 2;
    if (recent.length < 1 && seen.operation === "health") return;
    if (!isFarBelow) return;
    this.#requirements.broken(rate, () => ({
      at: placeOf(seen),
      expected: `no 429 below ${limit} requests in 10 s`,
      got: `429 after ${recent.length} requests in 20 s, ${together.length} of them in flight`,
      evidence: [seen.evidence()],
    }));
  }

  /** More were accepted within one window than any kind of limiter lets through in two. */
  #judgeAccepted(seen: SeenExchange, tier: Tier, passed: readonly Passed[]): void {
    if (this.#allowance > 0) return;
    const { limit, rate, cap, concurrency } = tier;
    const accepted = passed.filter(({ isAccepted }) => isAccepted);
    const within = accepted.filter(({ sentAtMs }) => sentAtMs > seen.answeredAtMs - windowMs);
    if (within.length > 2 * limit) {
      this.#requirements.broken(rate, () => ({
        at: placeOf(seen),
        expected: `at most ${limit} accepted in 10 s, ${2 * limit} across two windows`,
        got: `${within.length} accepted within 10 s`,
        evidence: [seen.evidence()],
      }));
    }
    if (cap === undefined || concurrency === undefined) return;
    // All of them were in flight when the last of them was sent.
    const together = accepted.filter(
      ({ sentAtMs, answeredAtMs }) => sentAtMs <= seen.sentAtMs && answeredAtMs >= seen.sentAtMs,
    );
    if (together.length <= 2 * cap) return;
    this.#requirements.broken(concurrency, () => ({
      at: placeOf(seen),
      expected: `at most ${cap} in flight`,
      got: `${together.length} accepted at once`,
      evidence: [seen.evidence()],
    }));
  }
}

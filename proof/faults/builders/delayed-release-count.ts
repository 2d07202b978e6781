import type { InFlightCount, LimitScope } from "../../../reference/behaviour/limits.ts";

/** Counts a freed place as taken for another `delayMs` of the endpoint's clock. */
export class DelayedReleaseCount implements InFlightCount {
  readonly #nowMs: () => number;
  readonly #delayMs: number;
  #taken = 0;
  #delayedEndsMs: number[] = [];

  constructor({ nowMs }: LimitScope, delayMs: number) {
    this.#nowMs = nowMs;
    this.#delayMs = delayMs;
  }

  get count(): number {
    this.#delayedEndsMs = this.#delayedEndsMs.filter((endMs) => endMs > this.#nowMs());
    return this.#taken + this.#delayedEndsMs.length;
  }

  set count(value: number) {
    const change = value - this.count;
    this.#taken += change;
    if (change < 0) this.#delayedEndsMs.push(this.#nowMs() + this.#delayMs);
  }
}

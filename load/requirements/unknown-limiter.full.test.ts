import { expect, test } from "vitest";

import type { Limiter } from "../../reference/limiters.ts";
import { resultsOn } from "../../test/load/on-virtual-clock.ts";

/** Counts each second by itself and admits while the last ten seconds stay within the limit: no kind known here. */
class CounterOfSeconds implements Limiter {
  readonly #counts = new Map<number, number>();

  take(nowMs: number, limit: number): boolean {
    const second = Math.floor(nowMs / 1_000);
    const last = Array.from({ length: 10 }, (_, back) => this.#counts.get(second - back) ?? 0);
    if (last.reduce((sum, count) => sum + count, 0) >= limit) return false;
    this.#counts.set(second, (this.#counts.get(second) ?? 0) + 1);
    return true;
  }
}

test("a limiter of a kind that is not known gets no reading of RATE-14, and fails nothing", async () => {
  const limits = { limiterOf: (): Limiter => new CounterOfSeconds() };
  const results = await resultsOn({ limits }, ["RATE-14"]);
  expect(results).toMatchObject([{ name: "rate/kind-of-window", verdict: "inconclusive" }]);
  expect(results[0]?.readings).toEqual([]);
});

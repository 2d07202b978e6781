import { describe, expect, test } from "vitest";

import { partsOf, requestsOfStep } from "./burst-plan.ts";
import type { BurstPart } from "./burst-plan.ts";
import type { TraceStep } from "./trace.ts";

const real = { placeMs: 10, isStill: false };
const still = { placeMs: 10, isStill: true };

/** The parts that are sent where the first `limit` requests are accepted. */
function sent(step: TraceStep, limit: number, clock: typeof real): readonly BurstPart[] {
  const all: BurstPart[] = [];
  const parts = partsOf(step, clock);
  let left = limit;
  for (let next = parts.next(); next.done !== true;) {
    all.push(next.value);
    left -= next.value.count;
    next = parts.next({ isRefused: left < 0, nowMs: 0 });
  }
  return all;
}

function counts(parts: readonly BurstPart[]): readonly number[] {
  return parts.map(({ count }) => count);
}

describe("partsOf", () => {
  const burst = { atMs: 0, count: 103, growsBy: 40 };

  test("the first request of a burst comes alone, and a few follow it", () => {
    expect(counts(sent(burst, 100, still))).toEqual([1, 10, 92]);
  });

  test("a burst goes on until one is refused, three times at most", () => {
    expect(counts(sent(burst, 150, still))).toEqual([1, 10, 92, 40, 40]);
    expect(counts(sent(burst, Infinity, still))).toEqual([1, 10, 92, 40, 40, 40]);
  });

  test("single requests watch after a burst that was refused, for two places and more", () => {
    const watching = sent(burst, 100, real).filter(({ isWatching }) => isWatching);
    expect(counts(watching)).toEqual(Array.from({ length: 20 }, () => 1));
    const watchedMs = watching.reduce((sum, { afterMs }) => sum + afterMs, 0);
    expect(watchedMs).toBeGreaterThanOrEqual(2 * real.placeMs);
  });

  test("nobody watches for longer than the watching was meant to take", () => {
    const parts = partsOf(burst, real);
    const watched = { isRefused: true, nowMs: 1_000 };
    let next = parts.next();
    while (next.done !== true && !next.value.isWatching) {
      next = parts.next({ isRefused: true, nowMs: 0 });
    }
    expect(next.done).toBe(false);
    expect(parts.next(watched).done).toBe(true);
  });

  test("nothing watches where nothing was refused, or after a few requests", () => {
    expect(sent(burst, Infinity, real).every(({ isWatching }) => !isWatching)).toBe(true);
    expect(counts(sent({ atMs: 0, count: 5 }, 0, real))).toEqual([5]);
  });

  test("tells how many requests a step has at most", () => {
    const refusedAtLast = counts(sent(burst, 200, real)).reduce((sum, count) => sum + count, 0);
    expect(refusedAtLast).toBe(requestsOfStep(burst));
    expect(requestsOfStep({ atMs: 0, count: 1 })).toBe(1);
  });
});

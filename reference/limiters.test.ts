import { describe, expect, test } from "vitest";

import {
  FixedAligned,
  FixedFromFirst,
  SlidingCounter,
  SlidingLog,
  TokenBucket,
  type Limiter,
} from "./limiters.ts";

/** How many of `attempts` requests at each moment get through a limit of 10 in 1000 ms. */
function admitted(limiter: Limiter, momentsMs: readonly number[], attempts = 30): number[] {
  return momentsMs.map((nowMs) => {
    let count = 0;
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      if (limiter.take(nowMs, 10)) count += 1;
    }
    return count;
  });
}

const kinds: readonly {
  readonly kind: string;
  readonly create: () => Limiter;
  readonly expected: readonly number[];
}[] = [
  {
    kind: "fixed from first",
    create: () => new FixedFromFirst(1_000),
    expected: [10, 0, 0, 10, 0],
  },
  { kind: "fixed aligned", create: () => new FixedAligned(1_000), expected: [10, 10, 0, 0, 10] },
  { kind: "sliding log", create: () => new SlidingLog(1_000), expected: [10, 0, 0, 10, 0] },
  { kind: "sliding counter", create: () => new SlidingCounter(1_000), expected: [10, 0, 4, 5, 4] },
  { kind: "token bucket", create: () => new TokenBucket(1_000), expected: [10, 1, 4, 5, 5] },
];

describe("limiters of 10 requests in 1000 ms, hit at 900, 1000, 1450, 1900 and 2400", () => {
  test.each(kinds)("$kind lets through $expected", ({ create, expected }) => {
    expect(admitted(create(), [900, 1_000, 1_450, 1_900, 2_400])).toEqual(expected);
  });

  test.each(kinds)("$kind gives the full limit after two windows of silence", ({ create }) => {
    const limiter = create();
    admitted(limiter, [900, 1_000]);
    expect(admitted(limiter, [3_000])).toEqual([10]);
  });

  test.each(kinds)("$kind follows a limit that rises and falls", ({ create }) => {
    const limiter = create();
    admitted(limiter, [5_000]);
    expect(limiter.take(5_000, 11)).toBe(!(limiter instanceof TokenBucket));
    expect(limiter.take(5_000, 10)).toBe(false);
  });
});

test("the sliding log does not grow beyond what its window holds", () => {
  const limiter = new SlidingLog(1_000);
  let count = 0;
  for (let nowMs = 0; nowMs < 100_000; nowMs += 1) {
    if (limiter.take(nowMs, 500)) count += 1;
  }
  expect(count).toBe(50_000);
});

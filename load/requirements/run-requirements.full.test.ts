import { describe, expect, test } from "vitest";

import { requirementIds, requirements } from "../../openapi/index.ts";
import { FixedAligned, SlidingCounter, SlidingLog, TokenBucket } from "../../reference/limiters.ts";
import type { Limiter } from "../../reference/limiters.ts";
import { notPassed, resultsOn } from "./testing/on-virtual-clock.ts";

const loadIds = requirementIds.filter((id) => {
  const { area } = requirements[id];
  return area === "rate" || area === "concurrency";
});

const kinds: readonly (readonly [string, () => Limiter])[] = [
  ["fixed", () => new FixedAligned(10_000)],
  ["sliding log", () => new SlidingLog(10_000)],
  ["sliding counter", () => new SlidingCounter(10_000)],
  ["token bucket", () => new TokenBucket(10_000)],
];

describe("runRequirements", () => {
  test("decides all 24 on the reference", async () => {
    const found = await resultsOn({}, loadIds);
    expect(loadIds).toHaveLength(24);
    expect(notPassed(found)).toEqual([]);
    expect(new Set(found.flatMap(({ covers }) => covers))).toEqual(new Set(loadIds));
  });

  test.each(kinds)("accepts a %s and names it", async (kind, limiterOf) => {
    const found = await resultsOn({ limits: { limiterOf } }, loadIds);
    expect(notPassed(found)).toEqual([]);
    const readings = found.flatMap((result) => result.readings.map(({ reading }) => reading));
    expect(readings).toEqual([kind]);
  });
});

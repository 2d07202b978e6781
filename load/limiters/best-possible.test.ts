import { expect, test } from "vitest";

import { bestPossibleMs } from "./best-possible.ts";

const numbers = { limit: 10, windowMs: 10_000 };

test.each([
  ["fixed from first request", 20_000],
  ["sliding log", 20_000],
  ["sliding log counting refusals", 20_000],
  ["token bucket", 20_000],
  // The client begins 1 ms before a window ends.
  ["fixed aligned", 10_001],
] as const)("three limits of a %s take %i ms", (kind, expected) => {
  expect(bestPossibleMs({ kind, ...numbers }, 30)).toBe(expected);
});

test("a sliding counter takes longer than aligned windows", () => {
  const took = bestPossibleMs({ kind: "sliding counter", ...numbers }, 30);
  expect(took).toBeGreaterThan(10_001);
  expect(took).toBeLessThanOrEqual(30_000);
});

test("says nothing where requests do not get through", () => {
  expect(bestPossibleMs({ kind: "fixed aligned", ...numbers, limit: 0 }, 1)).toBeUndefined();
});

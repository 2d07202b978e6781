import { expect, test } from "vitest";

import { durationMs } from "./requirements.ts";

test.each([
  ["6s", 6000],
  ["31m", 1_860_000],
  ["24h", 86_400_000],
])("%s is %d ms", (text, expected) => {
  expect(durationMs(text, "AUTH-01")).toBe(expected);
});

test.each(["6", "s", "6 s", "1.5s", "6d", ""])("%o is refused with the entry's id", (text) => {
  expect(() => durationMs(text, "AUTH-01")).toThrow(/^AUTH-01: time must be/u);
});

import { describe, expect, test } from "vitest";

import { inFlightAt, mostInFlight } from "./overlap.ts";

function exchange(sentMs: number, firstByteMs: number): Parameters<typeof mostInFlight>[0][number] {
  return { sentMs, firstByteMs, answeredMs: firstByteMs + 1 };
}

describe("mostInFlight", () => {
  test.each([
    {
      what: "one after the other",
      exchanges: [exchange(0, 10), exchange(10, 20), exchange(20, 30)],
      most: 1,
    },
    { what: "all at once", exchanges: [exchange(0, 10), exchange(1, 9), exchange(2, 8)], most: 3 },
    {
      what: "two and two",
      exchanges: [exchange(0, 10), exchange(5, 15), exchange(11, 20)],
      most: 2,
    },
    { what: "none", exchanges: [], most: 0 },
  ])("counts those in flight at one moment: $what", ({ exchanges, most }) => {
    expect(mostInFlight(exchanges)).toBe(most);
  });

  test("takes a request without a first byte as in flight until it failed", () => {
    expect(mostInFlight([{ sentMs: 0, answeredMs: 10, failure: "closed" }, exchange(5, 6)])).toBe(
      2,
    );
  });
});

test("inFlightAt counts what was sent before a moment and answered after it", () => {
  expect(inFlightAt([exchange(0, 10), exchange(0, 5), exchange(7, 12)], 6)).toBe(1);
});

import { describe, expect, test } from "vitest";

import { inFlightAt, mostInFlight } from "./overlap.ts";

function shot(sentMs: number, firstByteMs: number): Parameters<typeof mostInFlight>[0][number] {
  return { sentMs, firstByteMs, answeredMs: firstByteMs + 1 };
}

describe("mostInFlight", () => {
  test.each([
    { what: "one after the other", shots: [shot(0, 10), shot(10, 20), shot(20, 30)], most: 1 },
    { what: "all at once", shots: [shot(0, 10), shot(1, 9), shot(2, 8)], most: 3 },
    { what: "two and two", shots: [shot(0, 10), shot(5, 15), shot(11, 20)], most: 2 },
    { what: "none", shots: [], most: 0 },
  ])("counts those in flight at one moment: $what", ({ shots, most }) => {
    expect(mostInFlight(shots)).toBe(most);
  });

  test("takes a request without a first byte as in flight until it failed", () => {
    expect(mostInFlight([{ sentMs: 0, answeredMs: 10, failure: "closed" }, shot(5, 6)])).toBe(2);
  });
});

test("inFlightAt counts what was sent before a moment and answered after it", () => {
  expect(inFlightAt([shot(0, 10), shot(0, 5), shot(7, 12)], 6)).toBe(1);
});

import { expect, test } from "vitest";
import { roundedUp } from "./measure-costs.ts";

test.each([
  [0, 0],
  [7, 7],
  [10, 10],
  [11, 15],
  [99, 100],
  [101, 150],
  [1234, 1500],
])("%i is rounded up to %i", (count, rounded) => {
  expect(roundedUp(count)).toBe(rounded);
});

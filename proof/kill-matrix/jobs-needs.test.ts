import { expect, test } from "vitest";

import { decidedWith } from "./jobs-needs.ts";

test.each([
  { kinds: [], least: 33 },
  { kinds: ["quick"], least: 50 },
  { kinds: ["quick", "slow"], least: 75 },
  { kinds: ["quick", "slow", "failing", "known", "streaming"], least: 90 },
] as const)("jobs of the kinds $kinds let at least $least requirements be tried", (row) => {
  expect(decidedWith(row.kinds).size).toBeGreaterThanOrEqual(row.least);
});

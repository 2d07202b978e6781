import { expect, test } from "vitest";

import { isOfLoad, requirementIds, requirements } from "../../openapi/requirements.ts";
import { decidedWith } from "./jobs-needs.ts";

test.each([
  { kinds: [], least: 33 },
  { kinds: ["quick"], least: 50 },
  { kinds: ["quick", "slow"], least: 75 },
  { kinds: ["quick", "slow", "failing", "known", "streaming"], least: 90 },
] as const)("jobs of the kinds $kinds let at least $least requirements be tried", (row) => {
  expect(decidedWith(row.kinds).size).toBeGreaterThanOrEqual(row.least);
});

test("the base of each profile is what a plain server shows with its owner's jobs", () => {
  const decided = decidedWith();
  const shown = requirementIds.filter((id) => decided.has(id) && id !== "AUTH-05");
  const base = requirementIds.filter((id) => !requirements[id].isExtended && !isOfLoad(id));
  expect(base).toEqual(shown);
});

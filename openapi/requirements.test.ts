import { describe, expect, test } from "vitest";

import { capabilities } from "./capabilities.ts";
import {
  areas,
  idsThatJudge,
  isRequirementId,
  levels,
  requirementIds,
  requirements,
} from "./requirements.ts";

const all = requirementIds.map((id) => requirements[id]);
const prefixes = [...new Set(requirementIds.map((id) => id.slice(0, 4)))];

describe("the catalogue", () => {
  test("has every entry under its own id", () => {
    expect(new Set(requirementIds).size).toBe(requirementIds.length);
    const others = [...idsThatJudge("client"), ...idsThatJudge("worker")];
    expect(Object.keys(requirements)).toEqual([...requirementIds, ...others]);
    expect([requirementIds, others].map(({ length }) => length)).toEqual([136, 63]);
  });

  test.each(prefixes)(
    "numbers the entries of %s from 01 without a gap, all in one area",
    (prefix) => {
      const entries = all.filter(({ id }) => id.startsWith(`${prefix}-`));
      const expected = entries.map((_, index) => `${prefix}-${String(index + 1).padStart(2, "0")}`);
      expect(entries.map(({ id }) => id)).toEqual(expected);
      expect(new Set(entries.map(({ area }) => area)).size).toBe(1);
    },
  );

  test("has a prefix for each of its 17 areas", () => {
    expect(areas.filter((area) => !/^(?:client|worker) /.test(area))).toHaveLength(17);
    expect(prefixes).toHaveLength(17);
  });

  test("gives every entry a known level, a text and a section", () => {
    expect(all.filter(({ level }) => !levels.includes(level))).toEqual([]);
    expect(all.filter(({ text, section }) => text === "" || section === "")).toEqual([]);
  });

  test("names known capabilities only", () => {
    expect(
      all.flatMap(({ needs }) => needs).filter((need) => !capabilities.includes(need)),
    ).toEqual([]);
  });

  test("gives readings to the open entries and to no others", () => {
    for (const { id, level, accepts } of all) {
      expect(accepts.length > 0, id).toBe(level === "open");
    }
  });

  test.each([
    ["POLI-04", 6000],
    ["POLI-05", 600_000],
    ["POLI-10", 86_400_000],
    ["AUTH-01", 0],
  ] as const)("reads the time of %s as %d ms", (id, realTimeMs) => {
    expect(requirements[id].realTimeMs).toBe(realTimeMs);
  });
});

test.each([
  ["AUTH-01", true],
  ["AUTH-99", false],
  ["auth-01", false],
  ["toString", false],
  ["", false],
])("isRequirementId(%o) is %o", (text, expected) => {
  expect(isRequirementId(text)).toBe(expected);
});

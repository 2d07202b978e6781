import { describe, expect, test } from "vitest";

import { requirementIds } from "../openapi/requirements.ts";
import { checks } from "../contracts/checks.ts";
import { matchesAny, selectChecks, selectRequirements } from "./select.ts";

describe("a selection of requirements", () => {
  test("is all of them when nothing is named", () => {
    expect([...selectRequirements([], [])]).toEqual(requirementIds);
  });

  test("takes what is skipped from what is named", () => {
    expect([...selectRequirements(["HLTH-*", "CANC-01"], ["hlth-0[23]", "HLTH-02"])]).toEqual(
      requirementIds.filter((id) => /^(HLTH-(?!02)|CANC-01)/.test(id)),
    );
  });

  test.each([
    { glob: "RUNA-01", matches: true },
    { glob: "runa-*", matches: true },
    { glob: "*-01", matches: true },
    { glob: "RUNA", matches: false },
    { glob: "RUNA-.1", matches: false },
    { glob: "", matches: false },
  ])("$glob means RUNA-01: $matches", ({ glob, matches }) => {
    expect(matchesAny("RUNA-01", [glob])).toBe(matches);
  });

  test("takes every check that covers one of them", () => {
    const picked = selectChecks(checks, new Set(["HLTH-01"]));
    expect(picked.length).toBeGreaterThan(0);
    expect(picked.every(({ covers }) => covers.includes("HLTH-01"))).toBe(true);
    expect(selectChecks(checks, new Set())).toEqual([]);
  });
});

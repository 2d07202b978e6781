import { describe, expect, test } from "vitest";
import { checks } from "../../contracts/checks.ts";
import { requirementIds, requirements } from "../../openapi/requirements.ts";
import { faults } from "../faults/faults.ts";
import { variations } from "../variations/variations.ts";

/** Rate and concurrency are decided by the probe, not by checks of the contract suite. */
const decided = requirementIds
  .map((id) => requirements[id])
  .filter(({ area }) => area !== "rate" && area !== "concurrency");

describe("every requirement", () => {
  test.each(decided)("$id has a check", ({ id }) => {
    expect(checks.filter(({ covers }) => covers.includes(id)).length).toBeGreaterThan(0);
  });

  test.each(decided.filter(({ level }) => level !== "open"))("$id has a fault", ({ id }) => {
    expect(faults.filter(({ breaks }) => breaks.includes(id)).length).toBeGreaterThan(0);
  });
});

test("the names of checks, of faults and of variations are unique", () => {
  for (const names of [checks, faults, variations].map((all) => all.map(({ name }) => name))) {
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  }
});

test("every fault breaks something", () => {
  expect(faults.filter(({ breaks }) => breaks.length === 0)).toEqual([]);
});

test("every reading of every open requirement is shown by a variation or by the reference itself", () => {
  const unshown = decided
    .filter(({ level, id }) => level === "open" && id !== "HOOK-10" && id !== "LIFE-05")
    .flatMap(({ id, accepts }) => {
      const shown = new Set(variations.flatMap(({ shows }) => shows?.[id] ?? []));
      return accepts.filter((reading) => !shown.has(reading)).map((reading) => `${id}: ${reading}`);
    });
  // What the reference itself shows needs no variation.
  expect(unshown).toEqual([
    "RUNA-03: 400",
    "SYNC-08: after 1 minute",
    "SYNC-10: 200 with the FAILED record",
    "STAT-04: milliseconds",
    "STRM-05: an empty array",
    "CANC-06: 400",
  ]);
});

import { expect, test } from "vitest";

import type { Report } from "../../reports/model.ts";
import { reportOf } from "../../test/cli/report.ts";
import { figureTestText, isSlowerBy, testFigures } from "./figure-tests.ts";

function runs(ms: readonly number[], figure = "status ms p99"): readonly Report[] {
  return ms.map((value) => ({
    ...reportOf({}),
    load: [
      {
        scenario: "load/mix",
        engine: "probe",
        figures: { [figure]: value, jobs: 5 },
        requirements: [],
      },
    ],
  }));
}

function compared(old: readonly number[], next: readonly number[]) {
  const [only, ...others] = testFigures(runs(old), runs(next));
  expect(others).toEqual([]);
  if (only === undefined) throw new Error("nothing was compared");
  return only;
}

test("runs that are all slower are told as slower, with by how much", () => {
  const slower = compared([10, 11, 10.5, 10.2], [12, 12.5, 11.8, 12.2]);
  expect(slower.verdict).toBe("slower");
  expect(figureTestText(slower)).toMatch(/slower by \d+ to \d+ % \(4 and 4 runs\)/);
  expect(isSlowerBy(slower, 0.1)).toBe(true);
  expect(isSlowerBy(slower, 0.5)).toBe(false);
  expect(compared([12, 12.5, 11.8, 12.2], [10, 11, 10.5, 10.2]).verdict).toBe("faster");
});

test("runs that overlap show no difference, and what they could have shown", () => {
  const same = compared([10, 12, 11, 13], [11, 10, 13, 12]);
  expect(same.verdict).toBe("no difference shown");
  expect(figureTestText(same)).toMatch(/no difference that these runs could show: -\d+ to \+\d+ %/);
  expect(isSlowerBy(same, 0)).toBe(false);
});

test("fewer than four runs tell nothing, however far they are apart", () => {
  const few = compared([10, 10, 10], [100, 100, 100, 100]);
  expect(few.verdict).toBe("too few runs");
  expect(few.ratio).toBeUndefined();
  expect(figureTestText(few)).toContain("nothing can be told from 3 and 4 runs; 4 on each side");
});

test("bounds and the generator's own lateness are no times of the target", () => {
  for (const figure of ["bound ms", "late ms p95", "fault ms", "jobs"]) {
    expect(testFigures(runs([1, 1, 1, 1], figure), runs([9, 9, 9, 9], figure))).toEqual([]);
  }
});

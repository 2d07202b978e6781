import { expect, test } from "vitest";

import { requirementIds } from "../../openapi/requirements.ts";
import { reportOf } from "../../test/cli/report.ts";
import type { Report } from "../../reports/model.ts";
import type { Verdict } from "../../reports/verdict.ts";
import { markOf, matrixPage } from "./matrix.ts";

function reportWith(verdict: Verdict): Report {
  return reportOf({ "RUNA-01": verdict });
}

test.each([
  [["pass"], "pass"],
  [["fail"], "fail"],
  [["inconclusive"], "?"],
  [["not-run"], "-"],
  [[], "-"],
  [["inconclusive", "pass"], "pass"],
  [["pass", "inconclusive"], "pass"],
  [["inconclusive", "not-run"], "?"],
] as const)("runs that say %j are marked %s", (verdicts, mark) => {
  expect(markOf("RUNA-01", verdicts.map(reportWith))).toBe(mark);
});

test("the page counts each target, and says why one was not checked", () => {
  const page = matrixPage([
    { target: { name: "one", about: "Passes." }, reports: [reportWith("pass")] },
    { target: { name: "two", about: "Is not there." }, reports: "no Python" },
  ]);
  expect(page).toMatch(cells("one", "Passes.", 1, 0, 0, requirementIds.length - 1));
  expect(page).toMatch(cells(requirementIds.length, "no Python"));
  expect(page).toMatch(/\| RUNA-01 +\| pass +\| - +\|/);
});

/** Cells that follow each other in a row of the table. */
function cells(...texts: readonly (string | number)[]): RegExp {
  return new RegExp(texts.map((text) => `\\| ${text} +`).join(""), "u");
}

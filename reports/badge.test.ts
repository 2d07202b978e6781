import { describe, expect, test } from "vitest";
import { writeBadge } from "./badge.ts";
import { resultOf, sampleReport } from "../test/reports/sample-results.ts";

describe("the badge", () => {
  test("counts what passed of what was decided, in red where something failed", () => {
    const report = sampleReport();
    const { pass, fail } = report.summary.requirements;
    const svg = writeBadge(report);
    expect(svg).toMatch(/^<svg [^]*<\/svg>\n$/);
    expect(svg).toContain(`queueproof: ${pass} of ${pass + fail} passed, 2 undecided`);
    expect(svg).toContain("#e05d44");
  });

  test("is green where nothing failed, and grey where nothing was decided", () => {
    const green = writeBadge(
      sampleReport([resultOf("a", { covers: ["AUTH-01"], verdict: "pass" })]),
    );
    expect(green).toContain("1 of 1 passed");
    expect(green).not.toContain("#e05d44");
    expect(writeBadge(sampleReport([]))).toContain("queueproof: undecided");
  });

  test("is never green where something was tried and not decided", () => {
    const yellow = writeBadge(
      sampleReport([
        resultOf("a", { covers: ["AUTH-01"], verdict: "pass" }),
        resultOf("b", { covers: ["AUTH-02"], verdict: "inconclusive" }),
      ]),
    );
    expect(yellow).toContain("1 of 1 passed, 1 undecided");
    expect(yellow).toContain("#dfb317");
  });
});

import { describe, expect, test } from "vitest";
import { groupedDeviations } from "./deviations.ts";
import { writeHtml } from "./html/write-html.ts";
import { writeJunit } from "./junit.ts";
import { writeMarkdown } from "./markdown.ts";
import { mergeReports } from "./merge-reports.ts";
import type { CheckResult, Report } from "./model.ts";
import { resultOf, sampleReport } from "../test/reports/sample-results.ts";

const wrapped = "stream answers with an object";
const results: readonly CheckResult[] = [
  resultOf("stream/array", {
    covers: ["STRM-01"],
    deviations: [
      { requirement: "STRM-01", what: wrapped, seen: "status 200, {}" },
      { requirement: "RUNA-01", what: "run answers IN_PROGRESS", seen: "on the way" },
    ],
  }),
  resultOf("stream/every-chunk", {
    covers: ["STRM-02"],
    deviations: [{ requirement: "STRM-01", what: wrapped, seen: "another example" }],
  }),
  resultOf("run/at-once", { covers: ["RUNA-01"] }),
];

function reportOf(some: readonly CheckResult[]): Report {
  return sampleReport(some, { dialect: "other" });
}

describe("deviations that a dialect lets pass", () => {
  const report = reportOf(results);

  test("are listed once each, in the order of the catalogue, whichever check met them", () => {
    expect(report.deviations).toEqual([
      { requirement: "RUNA-01", what: "run answers IN_PROGRESS", seen: "on the way" },
      { requirement: "STRM-01", what: wrapped, seen: "status 200, {}" },
    ]);
  });

  test("stand under their requirement, which passes", () => {
    const row = report.requirements.find(({ id }) => id === "RUNA-01");
    expect(row).toMatchObject({ verdict: "pass", deviations: [{ seen: "on the way" }] });
    expect(report.requirements.find(({ id }) => id === "STRM-02")).not.toHaveProperty("deviations");
  });

  test.each([
    { format: "html", write: writeHtml },
    { format: "md", write: writeMarkdown },
    { format: "junit", write: writeJunit },
  ])("are shown in $format, with the dialect", ({ write }) => {
    const text = write(report);
    expect(text).toContain(wrapped);
    expect(text).toContain("other");
    expect(write(reportOf([]))).not.toContain(wrapped);
  });

  test("are grouped by what the target does", () => {
    const what = "there is no cancel";
    const seen = "not tried";
    const lacking = (["CANC-01", "CANC-02"] as const).map((id) =>
      resultOf(`cancel/${id}`, {
        covers: [id],
        deviations: [{ requirement: id, what, seen }],
      }),
    );
    expect(groupedDeviations(reportOf(lacking))).toEqual([
      { what, seen, requirements: ["CANC-01", "CANC-02"] },
    ]);
  });

  test("survive a merge, each once", () => {
    const merged = mergeReports(report, reportOf(results.slice(1)));
    expect(merged.deviations).toEqual(report.deviations);
    expect(merged.dialect).toBe("other");
  });
});

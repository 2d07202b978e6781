import { format } from "prettier";
import { describe, expect, test } from "vitest";
import { writeJson } from "./json.ts";
import { parseReport, ReportParseError } from "./parse-report.ts";
import { reportSchema } from "./report-schema.ts";
import { evidenceOf, resultOf, sampleReport } from "../test/reports/sample-results.ts";

describe("report.json", () => {
  test("reads back as it was written", () => {
    const { integrity, ...report } = parseReport(writeJson(sampleReport()), "report.json");
    expect(report).toEqual(JSON.parse(JSON.stringify(sampleReport())));
    expect(integrity?.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  test("is valid UTF-8 also where a target sent lone surrogates", () => {
    const text = writeJson(
      sampleReport([
        resultOf("r", { covers: ["AUTH-01"], evidence: [evidenceOf("run", 200, "\ud800")] }),
      ]),
    );
    expect(Buffer.from(text, "utf8").toString("utf8")).toBe(text);
  });

  test("is described by report.schema.json (npx vitest run reports -u writes it anew)", async () => {
    const printed = await format(JSON.stringify(reportSchema), { parser: "json", printWidth: 100 });
    await expect(printed).toMatchFileSnapshot("./report.schema.json");
  });
});

describe("a file that is no report", () => {
  test.each([
    { what: "no JSON", text: "{", problem: "JSON" },
    { what: "another format", text: '{"schema": "other/2"}', problem: "/schema" },
    {
      what: "an unknown verdict",
      text: writeJson(sampleReport()).replace('"verdict": "pass"', '"verdict": "maybe"'),
      problem: "/requirements/0/verdict",
    },
    {
      what: "counts that do not add up",
      text: writeJson(sampleReport()).replace('"fail": 2', '"fail": 0'),
      problem: "/summary",
    },
  ])("$what is refused with its place", ({ text, problem }) => {
    expect(() => parseReport(text, "old/report.json")).toThrow(ReportParseError);
    expect(() => parseReport(text, "old/report.json")).toThrow(problem);
    expect(() => parseReport(text, "old/report.json")).toThrow("old/report.json is not a report");
  });
});

import { describe, expect, test } from "vitest";
import { writeCtrf } from "./ctrf.ts";
import { writeHtml } from "./html/write-html.ts";
import { writeJunit } from "./junit.ts";
import { writeMarkdown } from "./markdown.ts";
import { repeatLine, repeatLinesFor } from "./repeat-line.ts";
import { sampleReport } from "../test/reports/sample-results.ts";

describe("the line that repeats a requirement", () => {
  test.each([
    ["/a/reports/latest", "reports/latest/report.json"],
    ["/a", "report.json"],
    ["/a/my reports", "'my reports/report.json'"],
    ["/elsewhere/out", "/elsewhere/out/report.json"],
    ["/a/it's", String.raw`'it'\''s/report.json'`],
  ])("names the file in %s as it is typed in /a", (directory, typed) => {
    const lineOf = repeatLinesFor({ directory, formats: ["json", "html"] }, "/a");
    expect(lineOf("HOOK-04")).toBe(`npx queueproof replay ${typed} HOOK-04`);
  });

  test("is none where no report.json is written", () => {
    expect(repeatLinesFor({ directory: "/a", formats: ["html"] }, "/a")("HOOK-04")).toBeUndefined();
  });

  test("takes no file for an option", () => {
    expect(repeatLine("-x.json", "HOOK-04")).toBe("npx queueproof replay ./-x.json HOOK-04");
  });

  const failed = sampleReport().requirements.filter(({ verdict }) => verdict === "fail");
  const lines = failed.map(({ id }) => repeatLine("out/report.json", id));

  test.each([
    ["html", writeHtml],
    ["junit", writeJunit],
    ["md", writeMarkdown],
    ["ctrf", writeCtrf],
  ])("stands in %s for each requirement that failed", (_, write) => {
    const text = write(sampleReport(), (id) => repeatLine("out/report.json", id));
    expect(lines).not.toEqual([]);
    for (const line of lines) expect(text).toContain(line);
    expect(write(sampleReport())).not.toContain("queueproof replay");
  });
});

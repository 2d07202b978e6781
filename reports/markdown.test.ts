import { describe, expect, test } from "vitest";
import { requirementIds } from "../openapi/index.ts";
import { code, fenced, prose } from "./markdown-text.ts";
import { writeMarkdown } from "./markdown.ts";
import { hostileMegabyte, hostileTexts } from "./testing/hostile.ts";
import { resultOf, sampleReport } from "./testing/sample-results.ts";

describe("report.md", () => {
  test("says the verdict, what failed and how to repeat it, what was not decided, and the readings", async () => {
    await expect(writeMarkdown(sampleReport())).toMatchFileSnapshot(
      "./testing/sample-report.md.txt",
    );
  });

  test("holds no markup of a target's making", () => {
    const results = hostileTexts.map((text, index) =>
      resultOf(`c${String(index)}`, {
        covers: ["RUNA-01"],
        verdict: "fail",
        mismatches: [{ requirement: "RUNA-01", at: text, expected: text, got: text }],
      }),
    );
    const lines = writeMarkdown(sampleReport(results)).split("\n");

    // Every row has its five cells: no text ended one early or began a new line.
    const rows = lines.filter((line) => line.startsWith("| RUNA-01"));
    expect(rows).toHaveLength(hostileTexts.length);
    for (const row of rows) expect(row.match(/(?<!\\)\|/gu)).toHaveLength(6);
    expect(lines.filter((line) => /<(?!\/?details>|\/?summary>)/u.test(line))).toEqual([]);
  });

  test.each([
    ["every requirement fails", (index: number) => requirementIds[index % requirementIds.length]],
    ["one fails in a thousand checks", () => "RUNA-01" as const],
  ])("fits into a comment on a pull request where %s", (_, idOf) => {
    const results = Array.from({ length: 1000 }, (_unused, index) =>
      resultOf(`c${String(index)}`, {
        covers: [idOf(index) ?? "RUNA-01"],
        verdict: "fail",
        mismatches: [
          { requirement: idOf(index) ?? "RUNA-01", at: "x", expected: "y", got: hostileMegabyte },
        ],
      }),
    );
    const text = writeMarkdown(sampleReport(results));
    expect(text.length).toBeLessThanOrEqual(65_536);
    expect(text).toContain("stand");
    expect(text).toMatch(/\| requirements \|/);
  });
});

describe("text in Markdown", () => {
  test.each([
    { text: "IN_QUEUE and _em_", markdown: String.raw`IN_QUEUE and \_em\_` },
    { text: "- item", markdown: String.raw`\- item` },
    { text: "1. item", markdown: String.raw`1\. item` },
    { text: "`input` | <b>", markdown: "`input` \\| &lt;b&gt;" },
    { text: "[a](b)", markdown: String.raw`\[a\](b)` },
    { text: "a\n\n# b\u0000", markdown: "a # b" },
  ])("$text reads as it is", ({ text, markdown }) => {
    expect(prose(text)).toBe(markdown);
  });

  test("a code span cannot be ended from within", () => {
    expect(code("a`b")).toBe("`a'b`");
  });

  test("a fence is longer than any within", () => {
    expect(fenced("sh", "```\n````")).toBe("`````sh\n```\n````\n`````");
  });
});

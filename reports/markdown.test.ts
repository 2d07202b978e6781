import { describe, expect, test } from "vitest";
import { requirementIds } from "../openapi/requirements.ts";
import { code, fenced, prose } from "./markdown-text.ts";
import { notRunGroupsOf } from "./groups.ts";
import { writeHtml } from "./html/write-html.ts";
import { writeMarkdown } from "./markdown.ts";
import { readPage, textOf } from "../test/reports/read-back.ts";
import { hostileMegabyte, hostileTexts } from "../test/reports/arbitrary-results.ts";
import { resultOf, sampleReport } from "../test/reports/sample-results.ts";

test("a backslash before a pipe ends no cell, and a bare address is no link", () => {
  expect(code(String.raw`x\|y`)).toBe("x&#92;&#124;y");
  expect(code("x|y")).toBe("`x\\|y`");
  const text = "see https://evil.test, www.evil.test and a@evil.test";
  expect(prose(text)).toBe("see https&#58;//evil.test, www&#46;evil.test and a&#64;evil.test");
});

describe("report.md", () => {
  test("says the verdict, what failed and how to repeat it, what was not decided, and the readings", async () => {
    await expect(writeMarkdown(sampleReport())).toMatchFileSnapshot(
      "../test/reports/sample-report.md.txt",
    );
  });

  test("says in the same words as the page what would let the rest be tried", () => {
    const group = notRunGroupsOf(sampleReport()).find(({ ids }) => ids.includes("AUTH-05"));
    const page = readPage(writeHtml(sampleReport()));
    const cells = page.elements.filter(({ tagName }) => tagName === "td").map(textOf);
    expect(group?.text).toBe("1 needs `--foreign-key`");
    expect(writeMarkdown(sampleReport())).toContain(`- ${group?.text ?? ""}\n  AUTH-05`);
    expect(cells.filter((cell) => cell === group?.text.replaceAll("`", ""))).toHaveLength(1);
  });

  test("says how a run came by its endpoints where none was given", () => {
    const target = { baseUrl: "http://a.test", endpointId: "", capabilities: [] };
    const report = sampleReport([], { target });
    expect(writeMarkdown(report)).toContain("endpoint fresh ones, made for the run");
    expect(writeHtml(report)).toContain("<dd>fresh ones, made for the run</dd>");
  });

  test("tells by which trace the request that failed is found in the server's logs", () => {
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    const request = { method: "GET", url: "http://a.test/v2/e/health", headers: { traceparent } };
    const evidence = [
      { request: { ...request, body: null }, response: null, atMs: 0, curl: "curl" },
    ];
    const mismatches = [
      { requirement: "HLTH-01", at: "health", expected: "200", got: "500", exchange: 0 },
    ] as const;
    const failed = { covers: ["HLTH-01"], verdict: "fail", mismatches, evidence } as const;
    expect(writeMarkdown(sampleReport([resultOf("c", failed)]))).toContain(traceparent);
  });

  test("holds no markup of a target's making", () => {
    const results = hostileTexts.map((text, index) =>
      resultOf(`c${index}`, {
        covers: ["RUNA-01"],
        verdict: "fail",
        mismatches: [{ requirement: "RUNA-01", at: text, expected: text, got: text }],
      }),
    );
    const lines = writeMarkdown(sampleReport(results)).split("\n");

    // Every row has five cells, so no text ended a cell early or began a new line.
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
      resultOf(`c${index}`, {
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

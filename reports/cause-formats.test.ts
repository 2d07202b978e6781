import { describe, expect, test } from "vitest";

import { writeHtml } from "./html/write-html.ts";
import { writeJunit } from "./junit.ts";
import { writeMarkdown } from "./markdown.ts";
import type { Fact, Report } from "./model.ts";
import { attributeOf, junitProblems, readPage, textOf } from "../test/reports/read-back.ts";
import { evidenceOf, resultOf, sampleReport } from "../test/reports/sample-results.ts";

const text = "every refusal of a submission is <b>422</b> where 400 is due";

/** Two requirements broken by one cause, and one that it keeps from being decided. */
function report(): Report {
  const cause = "refusals-422";
  const failing = ["SUBM-02", "SUBM-04"] as const;
  const results = failing.map((id) =>
    resultOf(`check of ${id}`, {
      covers: [id],
      verdict: "fail",
      cause,
      mismatches: [{ requirement: id, at: "run", expected: "status 400", got: "status 422" }],
    }),
  );
  const kept = resultOf("check of SUBM-06", { covers: ["SUBM-06"], verdict: "not-run", cause });
  const fact: Fact = {
    id: cause,
    topic: "refusals",
    text,
    adapted: "went on with 422",
    breaks: ["SUBM-02"],
    dialect: { lacks: ["stream"] },
    evidence: [evidenceOf("/run", 422, { error: "no input" })],
  };
  return sampleReport([...results, kept], { facts: [fact] });
}

const parts = ["refusals-422", "went on with 422", "SUBM-02 SUBM-04", "SUBM-06"];

describe("a cause of several requirements", () => {
  test("stands first in report.html, with one exchange and the lines of a dialect", () => {
    const page = readPage(writeHtml(report()));
    const section = (name: string): string => {
      const found = page.elements.find((each) => attributeOf(each, "aria-labelledby") === name);
      return found === undefined ? "" : textOf(found).replaceAll(/\s+/g, " ");
    };
    const told = section("causes");
    for (const part of [...parts, text, '{"lacks":["stream"]}', '"error": "no input"']) {
      expect(told).toContain(part);
    }
    expect(section("failures")).toContain(`for its cause: ${text}`);
  });

  test("is a property of each suite in junit.xml, and named by its cases", async () => {
    const xml = writeJunit(report());
    expect(await junitProblems(xml)).toEqual([]);
    expect(xml).toContain('name="queueproof.cause.refusals-422"');
    for (const part of parts) expect(xml).toContain(part);
    expect(xml).toContain("cause refusals-422: every refusal");
  });

  test("is a row of report.md", () => {
    const row = writeMarkdown(report())
      .split("\n")
      .find((line) => line.startsWith("| `refusals-422`"));
    for (const part of [...parts, "&lt;b&gt;422", "422", "no input"]) expect(row).toContain(part);
  });
});

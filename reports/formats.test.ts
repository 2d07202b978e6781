import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { writeBadge } from "./badge.ts";
import { writeCtrf } from "./ctrf.ts";
import { writeHar } from "./har.ts";
import { writeHtml } from "./html/write-html.ts";
import { writeJson } from "./json.ts";
import { writeJunit } from "./junit.ts";
import { writeMarkdown } from "./markdown.ts";
import { verdicts } from "./verdict.ts";
import type { Report, Writer } from "./model.ts";
import type { Verdict } from "./verdict.ts";
import { parseReport } from "./parse-report.ts";
import { arbitraryResults } from "../test/reports/arbitrary-results.ts";
import { attributeOf, harProblems, junitProblems, readPage } from "../test/reports/read-back.ts";
import { sampleReport } from "../test/reports/sample-results.ts";
import { verdictOfChecks } from "./verdicts.ts";

/** Requirement ids with their verdicts, in the order of the report. */
type Verdicts = readonly (readonly [id: string, verdict: string])[];

function verdictsOf(report: Report): Verdicts {
  return report.requirements.map(({ id, verdict }) => [id, verdict]);
}

/** For formats that know only test cases: computes each requirement's verdict from its cases. */
function fromCases(cases: readonly (readonly [id: string, verdict: Verdict])[]): Verdicts {
  const ids = [...new Set(cases.map(([id]) => id))];
  return ids.map((id) => [
    id,
    verdictOfChecks(cases.filter((each) => each[0] === id).map(([, verdict]) => ({ verdict }))),
  ]);
}

const outcomes: Readonly<Record<string, Verdict>> = {
  failure: "fail",
  error: "inconclusive",
  skipped: "not-run",
};

function junitVerdicts(xml: string): Verdicts {
  const cases = xml.matchAll(
    /<testcase name="[^"]*" classname="queueproof\.[^."]+\.(?<id>[^"]+)" time="[^"]*"(?:\/>|>\s*<(?<outcome>\w+))/gu,
  );
  return fromCases(
    [...cases].map(({ groups }) => [
      groups?.["id"] ?? "",
      outcomes[groups?.["outcome"] ?? ""] ?? "pass",
    ]),
  );
}

function ctrfVerdicts(text: string): Verdicts {
  const statuses = text.matchAll(/^ {8}"rawStatus": "(?<verdict>[^"]+)"/gmu);
  const ids = text.matchAll(/^ {10}"requirement": "(?<id>[^"]+)"/gmu);
  const found = [...statuses].map(({ groups }) => groups?.["verdict"] ?? "");
  return fromCases(
    [...ids].map(({ groups }, index) => [
      groups?.["id"] ?? "",
      verdicts.find((verdict) => verdict === found[index]) ?? "pass",
    ]),
  );
}

function htmlVerdicts(html: string): Verdicts {
  return readPage(html)
    .elements.filter((element) => attributeOf(element, "class") === "requirement")
    .map((element) => [
      attributeOf(element, "id") ?? "",
      attributeOf(element, "data-verdict") ?? "",
    ]);
}

function countsIn(text: string, pattern: RegExp): readonly number[] {
  return (pattern.exec(text) ?? []).slice(1).map(Number);
}

/** The badge's text for screen readers. */
function badgeMessage(svg: string): string {
  return /aria-label="queueproof: ([^"]*)"/u.exec(svg)?.[1] ?? "";
}

function countsOf({ summary: { requirements } }: Report): readonly number[] {
  return verdicts.map((verdict) => requirements[verdict]);
}

describe("every format", () => {
  test("says of any report what the report says", () => {
    const agreeing = fc.property(arbitraryResults, (results) => {
      const report = sampleReport(results);
      const wanted = verdictsOf(report);

      expect(verdictsOf(parseReport(writeJson(report), "report.json"))).toEqual(wanted);
      expect(htmlVerdicts(writeHtml(report))).toEqual(wanted);
      expect(junitVerdicts(writeJunit(report))).toEqual(wanted);
      expect(ctrfVerdicts(writeCtrf(report))).toEqual(wanted);
      expect(
        countsIn(
          writeMarkdown(report),
          /^\| requirements \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$/mu,
        ),
      ).toEqual(countsOf(report));
      expect(
        countsIn(
          writeHar(report),
          /requirements: (\d+) pass, (\d+) fail, (\d+) inc.*, (\d+) not-run/u,
        ),
      ).toEqual(countsOf(report));
      const { pass, fail, inconclusive } = report.summary.requirements;
      const open = inconclusive === 0 ? "" : `, ${inconclusive} undecided`;
      const count = pass + fail === 0 ? "undecided" : `${pass} of ${pass + fail} passed${open}`;
      const badge = badgeMessage(writeBadge(report));
      // Profiles that conform say more than a count.
      const conforms = report.profiles?.some(({ verdict }) => verdict === "conformant") === true;
      expect(conforms ? /^conformant: /.exec(badge)?.input : count).toBe(badge);
    });
    fc.assert(agreeing, { numRuns: 4 });
  });

  test("is valid for any report", async () => {
    const valid = fc.asyncProperty(arbitraryResults, async (results) => {
      const report = sampleReport(results);
      expect(await junitProblems(writeJunit(report))).toEqual([]);
      expect(harProblems(JSON.parse(writeHar(report)))).toEqual([]);
      expect(readPage(writeHtml(report)).errors).toEqual([]);
    });
    await fc.assert(valid, { numRuns: 4 });
  });

  const writers: Readonly<Record<string, Writer>> = {
    badge: writeBadge,
    ctrf: writeCtrf,
    har: writeHar,
    html: writeHtml,
    json: writeJson,
    junit: writeJunit,
    md: writeMarkdown,
  };
  test.each(Object.entries(writers))("%s gives the same bytes for the same report", (_, write) => {
    expect(write(sampleReport())).toBe(write(structuredClone(sampleReport())));
  });
});

import { expect, test } from "vitest";

import { writeMarkdown } from "../markdown.ts";
import type { CheckResult, LoadResult, Report } from "../model.ts";
import type { Verdict } from "../verdict.ts";
import { verdictSentence } from "../sentence.ts";
import { exitCodeOf } from "../verdicts.ts";
import { writeJson } from "../json.ts";
import { writeJunit } from "../junit.ts";
import { mergeReports } from "../merge-reports.ts";
import { sampleReport } from "../../test/reports/sample-results.ts";
import { verifyReport } from "../verify.ts";
import {
  engineAbsences,
  engineDisagreements,
  engineDoubts,
  loadWarnings,
  sideBySide,
} from "./side-by-side.ts";

test("what engines say of one requirement stands side by side, a disagreement is named", () => {
  const report = reportOf(
    [
      check("rate/run", "pass"),
      check("load/autocannon/burst-run", "fail"),
      check("load/k6/rate-run", "not-run"),
    ],
    [
      figures("rate/run", "probe", { limit: 1_000, requests: 9_000 }),
      figures("load/autocannon/burst-run", "autocannon", { accepted: 1_001 }),
    ],
  );

  expect(sideBySide(report)).toMatchObject([
    {
      id: "RATE-02",
      disagree: true,
      views: [
        { engine: "probe", verdict: "pass", figures: { limit: 1_000 } },
        { engine: "autocannon", verdict: "fail", reason: "because", figures: { accepted: 1_001 } },
        { engine: "k6", verdict: "not-run", reason: "because" },
      ],
    },
  ]);
  expect(engineDisagreements(report)).toEqual([
    "The engines disagree on RATE-02: probe pass (9000 requests) and autocannon fail (because). " +
      "Believe the probe: it knows when each of its requests was sent and what came of it.",
  ]);
  expect(engineAbsences(report)).toEqual(["1 limit would be confirmed by k6: because"]);
  const row = writeMarkdown(report).match(/\| \*\*RATE-02.*they disagree.*/)?.[0];
  expect(row).toContain("| pass: limit 1000 | fail (because): accepted 1001 | not run (because) |");
});

test.each<{ probe: Verdict; autocannon: Verdict; k6: Verdict; requirement: Verdict; code: number }>(
  [
    { probe: "pass", autocannon: "pass", k6: "inconclusive", requirement: "pass", code: 0 },
    { probe: "pass", autocannon: "fail", k6: "pass", requirement: "fail", code: 1 },
    { probe: "pass", autocannon: "inconclusive", k6: "fail", requirement: "fail", code: 1 },
    { probe: "inconclusive", autocannon: "pass", k6: "not-run", requirement: "pass", code: 0 },
    {
      probe: "inconclusive",
      autocannon: "not-run",
      k6: "inconclusive",
      requirement: "inconclusive",
      code: 3,
    },
  ],
)(
  "probe $probe, autocannon $autocannon and k6 $k6 make $requirement",
  ({ probe, autocannon, k6, requirement, code }) => {
    const report = reportOf(
      [
        check("rate/run", probe),
        check("load/autocannon/burst-run", autocannon),
        check("load/k6/rate-run", k6),
      ],
      [],
    );
    expect(report.summary.requirements[requirement]).toBe(1);
    expect(exitCodeOf(report)).toBe(code);
    expect(verifyReport(writeJson(report), "0.0.0").problems).toEqual([]);
    expect(mergeReports(report, report).summary).toEqual(report.summary);
  },
);

test("an engine that could not decide is listed, and is no error of junit.xml", () => {
  const report = reportOf(
    [check("rate/run", "pass"), check("load/k6/rate-run", "inconclusive")],
    [],
  );
  expect(engineDoubts(report)).toEqual(["k6 could not decide RATE-02: because"]);
  const junit = writeJunit(report);
  expect(junit).toContain(
    "RATE-02 load/k6/rate-run: inconclusive, decided by another engine: because",
  );
  expect(junit).not.toContain("<error");
  expect(writeMarkdown(report)).toContain("inconclusive (because)");
});

test("two checks of one engine do not corroborate each other, nor do those of the contract", () => {
  const ofProbe = reportOf([check("rate/run", "pass"), check("rate/race", "inconclusive")], []);
  expect(ofProbe.summary.requirements.inconclusive).toBe(1);
  const ofContract = reportOf([check("load/k6/soak", "pass"), check("run/x", "inconclusive")], []);
  expect(ofContract.summary.requirements.inconclusive).toBe(1);
});

test("one engine alone has nothing beside it", () => {
  expect(sideBySide(reportOf([check("rate/run", "pass")], []))).toEqual([]);
});

test.each<[Verdict, number]>([
  ["pass", 0],
  ["fail", 1],
  ["inconclusive", 3],
  ["not-run", 3],
])("a scenario whose verdict is %s alone ends with %d", (verdict, code) => {
  const asked = figures("load/k6/soak", "k6", { jobs: 3 });
  const entry = { ...asked, question: "Does it last?", answer: "Who knows.", verdict };
  const report = reportOf([], [entry]);
  expect(exitCodeOf(report)).toBe(code);
  expect(writeJunit(report)).toMatch(
    /<testcase name="Does it last\?" classname="queueproof\.scenarios\.load\/k6\/soak"/,
  );
  const opening =
    code === 3 ? "Nothing was decided about the target" : "No requirement was decided";
  expect(verdictSentence(report)).toContain(opening);
  expect(writeMarkdown(report)).toMatch(
    /\| soak \| Does it last\? \| .* \| Who knows\. \| jobs 3 \|/,
  );
});

function check(name: string, verdict: Verdict): CheckResult {
  const reason = verdict === "pass" ? {} : { reason: "because" };
  return { name, covers: ["RATE-02"], verdict, durationMs: 1, evidence: [], ...reason };
}

test("what load saw beside its verdicts is a warning, told once, which fails nothing", () => {
  const warning = 'run: Retry-After "1764390000" is a moment since the epoch';
  const seen = { ...figures("rate/run", "probe", { limit: 1_000 }), warnings: [warning] };
  const again = { ...seen, scenario: "rate/race" };
  const report = reportOf([check("rate/run", "pass")], [seen, again]);
  expect(loadWarnings(report)).toEqual([warning]);
  expect(exitCodeOf(report)).toBe(0);
  expect(writeMarkdown(report)).toContain("## Warnings, which fail nothing");
});

function figures(
  scenario: string,
  engine: LoadResult["engine"],
  counted: LoadResult["figures"],
): LoadResult {
  return { scenario, engine, figures: counted, requirements: ["RATE-02"] };
}

function reportOf(results: readonly CheckResult[], load: readonly LoadResult[]): Report {
  return sampleReport(results, { command: "load", load });
}

import { expect, test } from "vitest";

import { createReport } from "../create-report.ts";
import { writeMarkdown } from "../markdown.ts";
import type { CheckResult, Report, Verdict } from "../model.ts";
import { verdictSentence } from "../sentence.ts";
import { exitCodeOf } from "../verdicts.ts";
import type { LoadResult } from "./load-model.ts";
import { sideBySide } from "./side-by-side.ts";

test("what engines say of one requirement stands side by side, a disagreement is named", () => {
  const report = reportOf(
    [
      check("rate/run", "pass"),
      check("load/autocannon/burst-run", "fail"),
      check("load/k6/rate-run", "not-run"),
    ],
    [
      figures("rate/run", "probe", { limit: 1_000 }),
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
  const row = writeMarkdown(report).match(/\| \*\*RATE-02.*they disagree.*/)?.[0];
  expect(row).toContain("| pass: limit 1000 | fail (because): accepted 1001 | not run (because) |");
});

test("one engine alone has nothing beside it", () => {
  expect(sideBySide(reportOf([check("rate/run", "pass")], []))).toEqual([]);
});

test.each<[Verdict, number]>([
  ["pass", 0],
  ["fail", 1],
  ["inconclusive", 3],
  ["not-run", 3],
])("a question that is answered %s alone ends with %d", (verdict, code) => {
  const asked = figures("load/k6/soak", "k6", { jobs: 3 });
  const entry = { ...asked, question: "Does it last?", answer: "Who knows.", verdict };
  const report = reportOf([], [entry]);
  expect(exitCodeOf(report)).toBe(code);
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

function figures(
  scenario: string,
  engine: LoadResult["engine"],
  counted: LoadResult["figures"],
): LoadResult {
  return { scenario, engine, figures: counted, requirements: ["RATE-02"] };
}

function reportOf(results: readonly CheckResult[], load: readonly LoadResult[]): Report {
  return createReport({
    toolVersion: "0.0.0",
    command: "load",
    seed: 1,
    startedAt: "2026-01-01T00:00:00.000Z",
    durationMs: 1,
    target: { baseUrl: "http://a.test", endpointId: "e", capabilities: [] },
    results,
    load,
  });
}

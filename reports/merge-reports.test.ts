import { expect, test } from "vitest";
import { mergeReports } from "./merge-reports.ts";
import type { Fact, Report } from "./model.ts";
import type { Verdict } from "./verdict.ts";
import { writeJson } from "./json.ts";
import { parseReport } from "./parse-report.ts";
import { resultOf, sampleReport, sampleResults } from "../test/reports/sample-results.ts";

function fact(id: string): Fact {
  return { id, topic: "key", text: `about ${id}`, breaks: [], evidence: [] };
}

function reportOf(verdict: Verdict): Report {
  return sampleReport([resultOf("c", { covers: ["AUTH-01"], verdict, reason: verdict })]);
}

test("a report merged with itself or with an empty one says the same", () => {
  const report = sampleReport();

  expect(mergeReports(report)).toEqual(report);
  expect(mergeReports(report, report).summary).toEqual(report.summary);
  expect(mergeReports(sampleReport([]), report).requirements).toEqual(report.requirements);
});

test("shards merge to the report of the whole, and stay a valid report", () => {
  const shards = sampleResults.map((result) => sampleReport([result]));
  const merged = mergeReports(sampleReport([]), ...shards);

  expect(merged.summary).toEqual(sampleReport().summary);
  expect(merged.requirements).toEqual(sampleReport().requirements);
  expect(merged.durationMs).toBe(1234 * (shards.length + 1));
  expect(() => parseReport(writeJson(merged), "merged")).not.toThrow();
});

test("what may stay undecided in every report that did not decide it may in the merged one", () => {
  const open = resultOf("c", { covers: ["AUTH-01"], verdict: "inconclusive" });
  const allowing = sampleReport([open], { allowed: ["AUTH-01"] });

  expect(mergeReports(allowing, allowing).requirements[0]?.allowed).toBe(true);
  expect(mergeReports(allowing, sampleReport([])).requirements[0]?.allowed).toBe(true);
  expect(mergeReports(allowing, sampleReport([open])).requirements[0]?.allowed).toBeUndefined();
  expect(mergeReports(allowing, reportOf("fail")).requirements[0]?.allowed).toBeUndefined();
});

test("a target's endpoints stand side by side, without those that had none", () => {
  const target = { baseUrl: "http://a.test", endpointId: "", capabilities: [] };
  const controlled = { ...target, controlUrl: "http://a.test/__control" };
  const merged = mergeReports(
    sampleReport([], { target: controlled }),
    sampleReport([], { target: { ...controlled, endpointId: "ep-default" } }),
  );
  expect(merged.target).toEqual({ ...controlled, endpointId: "ep-default" });
  const others = mergeReports(merged, sampleReport([], { target }));
  expect(others.target).toEqual({ ...target, endpointId: "ep-default" });
});

test("when the target was away in any of them is kept", () => {
  const outages = [{ lastAnswerAtMs: 5, backAtMs: 905, check: "a/b", request: "GET /x" }];
  const targetGone = { request: "POST /y", atMs: 1200, reason: "connection refused" };
  const merged = mergeReports(sampleReport([]), sampleReport([], { outages, targetGone }));

  expect(merged).toMatchObject({ outages, targetGone });
  expect(() => parseReport(writeJson(merged), "merged")).not.toThrow();
});

test.each<{ one: Verdict; other: Verdict; merged: Verdict }>([
  { one: "pass", other: "not-run", merged: "pass" },
  { one: "pass", other: "inconclusive", merged: "inconclusive" },
  { one: "inconclusive", other: "fail", merged: "fail" },
])("a check that is $one here and $other there is $merged", ({ one, other, merged }) => {
  for (const pair of [
    mergeReports(reportOf(one), reportOf(other)),
    mergeReports(reportOf(other), reportOf(one)),
  ]) {
    expect(pair.summary.checks[merged]).toBe(1);
    expect(pair.requirements[0]).toMatchObject({ verdict: merged });
    expect(pair.requirements[0]?.reason).toBe(merged === "pass" ? undefined : merged);
  }
});

const shard = (id: "AUTH-01" | "AUTH-02", ...causes: readonly string[]): Report =>
  sampleReport(
    causes.map((cause) => resultOf(`${id} ${cause}`, { covers: [id], verdict: "fail", cause })),
    { facts: causes.map(fact) },
  );

test("causes of all reports stay, each once, with what they break in the merged rows", () => {
  const merged = mergeReports(shard("AUTH-01", "bare", "late"), shard("AUTH-02", "bare"));
  expect(merged.causes).toMatchObject([
    { id: "bare", text: "about bare", requirements: ["AUTH-01", "AUTH-02"], checks: 2 },
    { id: "late", requirements: ["AUTH-01"], checks: 1 },
  ]);
  expect(merged.learned?.map(({ text }) => text)).toEqual(["about bare", "about late"]);
  expect(() => parseReport(writeJson(merged), "merged")).not.toThrow();
});

import { expect, test } from "vitest";
import { createReport } from "../create-report.ts";
import { writeTrend } from "../html/trend-page.ts";
import type { CheckResult } from "../model.ts";
import { subjectOf, trendEntryOf } from "./trend-entry.ts";
import type { TrendEntry } from "./trend-entry.ts";
import { trendOf } from "./trend.ts";

const baseUrl = "http://127.0.0.1:8080";

/** The report of day `day`, in which CANC-01 came out so. */
function entryOf(day: number, verdict: CheckResult["verdict"], changes = {}): TrendEntry {
  const result: CheckResult = {
    name: "cancel/queued",
    covers: ["CANC-01"],
    verdict,
    durationMs: 1,
    evidence: [],
    ...(verdict === "fail" && {
      mismatches: [{ requirement: "CANC-01", at: "status", expected: "200", got: "<b>404" }],
    }),
  };
  const report = createReport({
    toolVersion: "0.1.0",
    command: "contract",
    seed: 1,
    startedAt: new Date(Date.UTC(2026, 0, day)),
    durationMs: 1000 * day,
    target: { baseUrl, endpointId: "e", capabilities: [] },
    results: [result],
    ...changes,
  });
  const entry = trendEntryOf(JSON.stringify(report), `day ${day}/report.json`);
  if (entry === undefined) throw new Error("a report was not read");
  return entry;
}

function stretchesOfCancel(...verdicts: readonly CheckResult["verdict"][]): unknown {
  const entries = verdicts.map((verdict, at) => entryOf(at + 1, verdict));
  const strip = trendOf(entries).requirements.find(({ name }) => name === "CANC-01");
  return strip?.stretches.map(({ verdict, from, count }) => [verdict, from, count]);
}

test("reports in a row that say the same are one stretch", () => {
  expect(stretchesOfCancel("pass", "pass", "fail", "not-run")).toEqual([
    ["pass", 0, 2],
    ["fail", 2, 1],
    ["not-run", 3, 1],
  ]);
});

test("what is broken is told with the first report since which it is, in the order of time", () => {
  const verdicts = ["fail", "pass", "fail", "not-run", "fail"] as const;
  const entries = verdicts.map((verdict, at) => entryOf(at + 1, verdict)).toReversed();
  const { broken } = trendOf(entries);
  expect(broken.map(({ strip, since }) => [strip.name, since.file])).toEqual([
    ["CANC-01", "day 3/report.json"],
  ]);
});

function brokenOf(...verdicts: readonly CheckResult["verdict"][]): number {
  return trendOf(verdicts.map((verdict, at) => entryOf(at + 1, verdict))).broken.length;
}

test("what passed last is not broken, and what was not decided since still is", () => {
  expect(brokenOf("fail", "pass")).toBe(0);
  expect(brokenOf("fail", "inconclusive")).toBe(1);
  expect(brokenOf("not-run", "not-run")).toBe(0);
});

function workerFigures(laterMs: number): object {
  return {
    worker: {
      coldStartMs: 1,
      memoryBytes: [],
      tests: [{ name: "a", outcome: "as expected", runs: 2, firstMs: 9, laterMs, resultBytes: 1 }],
    },
  };
}

test("a figure is a curve where two reports have it", () => {
  const entries = [
    entryOf(1, "pass", workerFigures(5)),
    entryOf(2, "pass"),
    entryOf(3, "pass", workerFigures(7)),
  ];
  const { figures } = trendOf(entries);
  expect(figures.map(({ name, points }) => [name, points.map(({ at, ms }) => [at, ms])])).toEqual([
    [
      "duration of contract",
      [
        [0, 1000],
        [1, 2000],
        [2, 3000],
      ],
    ],
    [
      "cold start of the worker",
      [
        [0, 1],
        [2, 1],
      ],
    ],
    [
      'jobs of "a"',
      [
        [0, 5],
        [2, 7],
      ],
    ],
  ]);
});

function subjectAt(url: string): string {
  return subjectOf(
    entryOf(1, "pass", { target: { baseUrl: url, endpointId: "e", capabilities: [] } }),
  );
}

test("another port of this machine is the same target, and another host is not", () => {
  expect(subjectAt("http://127.0.0.1:1")).toBe(subjectAt("http://127.0.0.1:2"));
  expect(subjectAt("https://a.example:1")).not.toBe(subjectAt("https://a.example:2"));
});

test("what is no report is none", () => {
  expect(trendEntryOf("{", "a")).toBeUndefined();
  expect(trendEntryOf('{"schema":"queueproof-report/1"}', "a")).toBeUndefined();
  expect(trendEntryOf('{"name":"a package"}', "a")).toBeUndefined();
});

test("the page links each report, escapes what reports hold, and has no script", () => {
  const entries = [entryOf(1, "pass"), entryOf(2, "fail", { command: "<i>contract" })];
  const page = writeTrend(trendOf(entries), "<b>target");
  expect(page).toContain('href="day%202/report.html"');
  expect(page).toContain("1 requirement broken, the first of them since 2026-01-02.");
  expect(page).not.toMatch(/<script|<b>target|<i>contract/);
});

import { describe, expect, test } from "vitest";
import { requirementIds } from "../openapi/requirements.ts";
import type { Report, ReportRequirement, Reading } from "./model.ts";
import {
  evidenceOf,
  resultOf,
  sampleReport,
  sampleResults,
} from "../test/reports/sample-results.ts";
import { exitCodeOf } from "./verdicts.ts";

function entryOf(report: Report, id: string): ReportRequirement {
  const entry = report.requirements.find((each) => each.id === id);
  if (entry === undefined) throw new Error(`${id} is not in the report`);
  return entry;
}

describe("a report", () => {
  test("holds every requirement of the catalogue, in its order, also without any result", () => {
    const report = sampleReport([]);

    expect(report.requirements.map(({ id }) => id)).toEqual(requirementIds);
    expect(report.summary.requirements).toEqual({
      pass: 0,
      fail: 0,
      inconclusive: 0,
      "not-run": requirementIds.length,
    });
    expect(entryOf(report, "RATE-01").reason).toBe("no check covers it");
  });

  test("counts a check once, also where it stands under two requirements", () => {
    const report = sampleReport();

    expect(report.summary.checks).toEqual({ pass: 2, fail: 2, inconclusive: 1, "not-run": 1 });
    expect(report.summary.requirements).toEqual({
      pass: 2,
      fail: 2,
      inconclusive: 2,
      "not-run": requirementIds.length - 6,
    });
  });

  test("counts two results of one check on different requirements once, by the graver verdict", () => {
    const one = resultOf("auth/both", { covers: ["AUTH-01"], verdict: "pass" });
    const other = resultOf("auth/both", { covers: ["AUTH-02"], verdict: "inconclusive" });
    const report = sampleReport([one, other]);

    expect(entryOf(report, "AUTH-01").verdict).toBe("pass");
    expect(entryOf(report, "AUTH-02").verdict).toBe("inconclusive");
    expect(report.summary.checks).toEqual({ pass: 0, fail: 0, inconclusive: 1, "not-run": 0 });
  });

  test("keeps the attempts before the last one, and what had to be sent again", () => {
    const attempts = [{ verdict: "inconclusive", reason: "too late", durationMs: 3 }] as const;
    const dropped = [{ request: "POST /v2/ep-1/run", error: "closed", times: 2 }];
    const report = sampleReport([
      resultOf("auth/tried", { covers: ["AUTH-01"], attempts, dropped }),
      resultOf("auth/once", { covers: ["AUTH-02"], attempts: [], dropped: [] }),
    ]);

    expect(entryOf(report, "AUTH-01").checks[0]).toMatchObject({ attempts, dropped });
    expect(entryOf(report, "AUTH-02").checks[0]).not.toHaveProperty("attempts");
    expect(entryOf(report, "AUTH-02").checks[0]).not.toHaveProperty("dropped");
  });

  test("says when the target was away, and that it is gone", () => {
    const outages = [{ lastAnswerAtMs: 5, backAtMs: 905, check: "a/b", request: "GET /x" }];
    const targetGone = { request: "POST /y", atMs: 1200, reason: "connection refused" };

    expect(sampleReport([], { outages, targetGone })).toMatchObject({ outages, targetGone });
    expect(sampleReport([])).not.toHaveProperty("outages");
  });

  test("marks as allowed what is not decided and need not be", () => {
    const report = sampleReport(sampleResults, { allowed: ["CANC-02", "AUTH-01", "AUTH-05"] });

    const allowed = report.requirements.filter((each) => each.allowed === true);
    expect(allowed.map(({ id }) => id)).toEqual(["CANC-02"]);
  });

  test("does not depend on the order in which checks ended", () => {
    expect(sampleReport(sampleResults.toReversed())).toEqual(sampleReport());
  });

  test.each([
    { checks: ["pass", "fail", "inconclusive"], verdict: "fail" },
    { checks: ["pass", "inconclusive"], verdict: "inconclusive" },
    { checks: ["not-run", "pass"], verdict: "pass" },
    { checks: ["not-run", "inconclusive"], verdict: "inconclusive" },
    { checks: ["not-run", "not-run"], verdict: "not-run" },
  ] as const)("judges checks $checks as $verdict", ({ checks, verdict }) => {
    const report = sampleReport(
      checks.map((each, index) =>
        resultOf(`c${index}`, { covers: ["AUTH-01"], verdict: each, reason: each }),
      ),
    );

    expect(entryOf(report, "AUTH-01").verdict).toBe(verdict);
    expect(entryOf(report, "AUTH-01").reason).toBe(verdict === "pass" ? undefined : verdict);
  });

  test("blames the requirement a mismatch names, and leaves the others of that check undecided", () => {
    const report = sampleReport();

    expect(entryOf(report, "AUTH-06").verdict).toBe("fail");
    expect(entryOf(report, "AUTH-06").reason).toBe("health /jobs/inQueue: expected 0, got 1");
    expect(entryOf(report, "AUTH-02")).toMatchObject({
      verdict: "inconclusive",
      reason: "its check failed on AUTH-06, so this was not decided",
    });
  });

  test("fails a requirement a check ran into without covering it", () => {
    const mismatch = { requirement: "ENDP-05", at: "run", expected: "a", got: "b" } as const;
    const report = sampleReport([
      resultOf("run/x", { covers: ["RUNA-01"], verdict: "fail", mismatches: [mismatch] }),
    ]);

    expect(entryOf(report, "ENDP-05").verdict).toBe("fail");
    expect(entryOf(report, "RUNA-01").verdict).toBe("inconclusive");
  });

  test("shows a reading under an open entry only", () => {
    const readings = [
      { requirement: "RUNA-03", reading: "413" },
      { requirement: "RUNA-03", reading: "400" },
      { requirement: "AUTH-01", reading: "no" },
    ] as const;
    const report = sampleReport([resultOf("r", { covers: ["RUNA-03", "AUTH-01"], readings })]);

    expect(entryOf(report, "RUNA-03").reading).toBe("400; 413");
    expect(entryOf(report, "AUTH-01").reading).toBeUndefined();
  });

  test("says where readings were seen that differ, and nothing more where all agree", () => {
    expect(
      readingOf(
        seen("called", "TIMED_OUT"),
        seen("not called", "CANCELLED"),
        seen("called", "FAILED"),
      ),
    ).toBe("called (FAILED, TIMED_OUT); not called (CANCELLED)");
    expect(readingOf(seen("called", "FAILED"), seen("called", "TIMED_OUT"))).toBe("called");
  });

  test("keeps two checks of one name apart", () => {
    const twice = [resultOf("r", { covers: ["AUTH-01"] }), resultOf("r", { covers: ["AUTH-01"] })];
    const report = sampleReport(twice);

    expect(entryOf(report, "AUTH-01").checks.map(({ name }) => name)).toEqual(["r", "r (2)"]);
    expect(report.summary.checks.pass).toBe(2);
  });

  test("keeps huge and deeply nested bodies within bounds", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    const report = sampleReport([
      resultOf("r", {
        covers: ["AUTH-01"],
        evidence: [evidenceOf("run", 200, deep), evidenceOf("run", 200, "x".repeat(10_000_000))],
      }),
    ]);

    expect(JSON.stringify(report).length).toBeLessThan(300_000);
    expect(JSON.stringify(report)).toContain("[cut here: 10000000 characters in all]");
  });
});

describe("the exit code", () => {
  test.each([
    { verdicts: ["pass", "not-run"], code: 0 },
    { verdicts: ["pass", "inconclusive"], code: 4 },
    { verdicts: ["fail", "inconclusive"], code: 1 },
    { verdicts: ["pass", "fail"], code: 1 },
    { verdicts: ["inconclusive", "not-run"], code: 3 },
    { verdicts: [], code: 3 },
  ] as const)("of $verdicts is $code", ({ verdicts, code }) => {
    const covers = ["AUTH-01", "AUTH-02"] as const;
    const results = verdicts.map((verdict, index) =>
      resultOf(String(index), { covers: covers.slice(index, index + 1), verdict }),
    );
    expect(exitCodeOf(sampleReport(results))).toBe(code);
  });

  const passing = resultOf("a", { covers: ["AUTH-01"] });
  const open = resultOf("b", { covers: ["AUTH-02"], verdict: "inconclusive" });
  const failing = resultOf("c", { covers: ["AUTH-03"], verdict: "fail" });

  test("is 0 where what is not decided is allowed", () => {
    expect(exitCodeOf(sampleReport([passing, open], { allowed: ["AUTH-02"] }))).toBe(0);
    expect(exitCodeOf(sampleReport([passing, open], { allowed: ["AUTH-03"] }))).toBe(4);
  });

  test("is 3 where the target is gone, unless something had failed", () => {
    const targetGone = { request: "GET /x", atMs: 1, reason: "refused" };
    expect(exitCodeOf(sampleReport([passing], { targetGone }))).toBe(3);
    expect(exitCodeOf(sampleReport([passing, failing], { targetGone }))).toBe(1);
  });
});

function seen(reading: string, at: string): Reading {
  return { requirement: "HOOK-10", reading, at };
}

function readingOf(...readings: Reading[]): string | undefined {
  return entryOf(sampleReport([resultOf("r", { covers: ["HOOK-10"], readings })]), "HOOK-10")
    .reading;
}

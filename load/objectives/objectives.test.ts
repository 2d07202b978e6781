import { describe, expect, test } from "vitest";

import { judgeObjective } from "./judge-objective.ts";
import { objectiveName, parseObjectives } from "./objectives-file.ts";
import type { Objective } from "./objectives-file.ts";

function parsed(given: unknown): readonly Objective[] {
  const result = parseObjectives(given);
  if (!result.ok) throw new Error(result.problems.join("\n"));
  return result.objectives;
}

function problemsOf(given: unknown): readonly string[] {
  const result = parseObjectives(given);
  return result.ok ? [] : result.problems;
}

describe("a file of objectives", () => {
  test("names percentiles, errors, and times of jobs", () => {
    const objectives = parsed({
      status: { p99: "50ms", errors: "1%" },
      run: { queueDelay: { p95: "2s" }, firstChunk: { max: "0.5m" } },
    });
    expect(objectives.map((each) => [objectiveName(each), each.share, each.bound])).toEqual([
      ["run queueDelay p95", 0.95, 2_000],
      ["run firstChunk max", 1, 30_000],
      ["status p99", 0.99, 50],
      ["status errors", 1, 0.01],
    ]);
  });

  test.each([
    [{ stats: { p99: "1s" } }, /stats/],
    [{ status: { p98: "1s" } }, /p98/],
    [{ status: { p99: 50 } }, /a duration such as 50ms/],
    [{ status: { p99: "50 ms" } }, /a duration such as 50ms/],
    [{ status: { errors: "1" } }, /a share such as 1%/],
    [{ status: { firstChunk: { p95: "1s" } } }, /firstChunk/],
    [{ run: { queueDelay: "1s" } }, /an object such as/],
    [[], /an object such as/],
  ])("%j is refused, with the place", (given, says) => {
    expect(problemsOf(given).join("\n")).toMatch(says);
  });
});

const [p95] = parsed({ status: { p95: "10ms" } });
const [errors] = parsed({ mix: { errors: "5%" } });

function judged(objective: Objective | undefined, ms: readonly number[], lateMs = 0) {
  if (objective === undefined) throw new Error("there is no objective");
  const values = ms.map((value, at) => ({ atMs: 1_000 * at, leastMs: value, mostMs: value }));
  const isOfErrors = objective.measure === "errors";
  const errorsAtMs = isOfErrors
    ? values.flatMap(({ atMs, mostMs }) => (mostMs > 0 ? [atMs] : []))
    : [];
  return judgeObjective(objective, { values, errorsAtMs, requests: ms.length, lateMs }, 0);
}

function times(count: number, ms: number): readonly number[] {
  return Array.from({ length: count }, () => ms);
}

describe("an objective", () => {
  test("is kept up to its bound", () => {
    expect(judged(p95, times(20, 10))).toMatchObject({
      scenario: "objective/status p95",
      verdict: "pass",
    });
  });

  test("is broken beyond it, with the moments", () => {
    const found = judged(p95, [...times(30, 1), 11, 12, 13, ...times(7, 1)]);
    expect(found.verdict).toBe("fail");
    expect(found.reason).toBe(
      "95 % took up to 11 ms, and at most 10 ms was promised; over the bound at 30.0–32.0 s",
    );
  });

  test("is not decided by too few values, nor by a generator that was late", () => {
    expect(judged(p95, times(19, 1)).reason).toContain("20 are needed for 95 %");
    const late = judged(p95, times(20, 1), 6);
    expect(late).toMatchObject({ verdict: "inconclusive" });
    expect(late.reason).toContain("the generator itself was 6 ms late");
  });

  test("is not decided where the bound lies within what is known of each value", () => {
    if (p95 === undefined) throw new Error("there is no objective");
    const values = Array.from({ length: 20 }, () => ({ atMs: 0, leastMs: 5, mostMs: 15 }));
    const found = judgeObjective(p95, { values, errorsAtMs: [], requests: 20, lateMs: 0 }, 0);
    expect(found.reason).toContain("it lies between 5 ms and 15 ms");
  });

  test("of errors counts their share", () => {
    expect(judged(errors, [...times(19, 0), 1]).verdict).toBe("pass");
    expect(judged(errors, [...times(18, 0), 1, 1]).reason).toMatch(/^2 of 20 \(10 %\) were errors/);
    expect(judged(errors, times(5, 0)).verdict).toBe("inconclusive");
  });
});

import { describe, expect, test } from "vitest";

import { Redactor } from "../../client/index.ts";
import type { RequirementResult } from "../judge.ts";
import { exchangeOf } from "../testing/exchange.ts";
import { Discovery } from "./discovery.ts";
import { resultsUnderCauses, withControl } from "./under-causes.ts";

const nothing = { durationMs: 0, readings: [], mismatches: [], deviations: [], evidence: [] };

function resultOf(given: Partial<RequirementResult>): RequirementResult {
  return { name: "a", title: "a", covers: ["SUBM-06"], verdict: "pass", ...nothing, ...given };
}

const mismatch = {
  requirement: "SUBM-06",
  at: "run",
  expected: "a success (2xx)",
  got: "400",
} as const;

function knowing(): Discovery {
  const discovery = new Discovery(new Redactor());
  discovery.learn({
    id: "input-refused",
    topic: "input",
    text: "run refuses the input {}",
    excuses: () => true,
    excusesReason: (reason) => reason.includes("answered 400"),
    isUsualAnswer: ({ operation }) => operation === "run",
    seen: [],
  });
  return discovery;
}

describe("where run refuses what nothing is wrong with", () => {
  const run = exchangeOf({ error: "no prompt" }, { operation: "run" });

  test("a check that passed by its refusals is not run under that cause", () => {
    const told = withControl(resultOf({}), [run], knowing());
    expect(told).toMatchObject({ verdict: "not-run", cause: "input-refused" });
  });

  test("one that asked for something else passes, and so does any where nothing was learned", () => {
    const health = exchangeOf({}, { operation: "health" });
    expect(withControl(resultOf({}), [health], knowing()).verdict).toBe("pass");
    expect(withControl(resultOf({}), [run], new Discovery(new Redactor())).verdict).toBe("pass");
  });

  test("what failed or was undecided for it is not run, with what came after it", () => {
    const told = resultsUnderCauses(
      [
        resultOf({ verdict: "fail", covers: ["RUNA-02"], mismatches: [mismatch] }),
        resultOf({ verdict: "inconclusive", reason: "not reached: RUNA-02 failed before" }),
        resultOf({ verdict: "inconclusive", reason: "run answered 400" }),
        resultOf({ verdict: "inconclusive", reason: "the clock is too coarse" }),
      ],
      knowing(),
    );
    const verdicts = told.map(({ verdict, cause }) => [verdict, cause]);
    const excused = ["not-run", "input-refused"];
    expect(verdicts.slice(0, 3)).toEqual([excused, excused, excused]);
    expect(verdicts[3]).toEqual(["inconclusive", undefined]);
  });
});

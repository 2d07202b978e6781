import { describe, expect, test } from "vitest";

import type { Mismatch } from "../../reports/model.ts";
import type { RequirementResult } from "../judge.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { Discovery } from "./discovery.ts";
import { learnHealth } from "./learn.ts";
import { resultsUnderBroken, resultsUnderCauses, withControl } from "./results.ts";

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
  const discovery = new Discovery();
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
    expect(withControl(resultOf({}), [run], new Discovery()).verdict).toBe("pass");
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
      { needs: [], isLast: false },
    );
    const verdicts = told.map(({ verdict, cause }) => [verdict, cause]);
    const excused = ["not-run", "input-refused"];
    expect(verdicts.slice(0, 3)).toEqual([excused, excused, excused]);
    expect(verdicts[3]).toEqual(["inconclusive", undefined]);
  });

  test("the reason holds no secret of the target", () => {
    const discovery = new Discovery();
    discovery.redactor.add("api key", "a-secret-key-1234");
    const text = "run answers 400, no prompt for a-secret-key-1234";
    discovery.learn({ id: "a", topic: "input", text, isUsualAnswer: () => true, seen: [] });
    const { reason } = withControl(resultOf({}), [run], discovery);
    expect(reason).toContain("no prompt for");
    expect(reason).not.toContain("a-secret-key-1234");
  });
});

/** How some differences are told where 403 and 422 are each a cause. */
function toldOf(...mismatches: readonly Mismatch[]): RequirementResult | undefined {
  return toldAs("fail", mismatches);
}

function toldAs(
  verdict: "fail" | "inconclusive",
  mismatches: readonly Mismatch[],
): RequirementResult | undefined {
  const discovery = new Discovery();
  for (const got of ["403", "422"]) {
    const explains = (each: Mismatch): boolean => each.got === got;
    discovery.learn({ id: `refusals-${got}`, topic: "refusals", text: got, explains, seen: [] });
  }
  const failed = resultOf({ verdict, reason: "all of them", mismatches });
  return resultsUnderCauses([failed], discovery, { needs: [], isLast: true })[0];
}

describe("a failure of several differences", () => {
  const of422 = { ...mismatch, expected: "status 400", got: "422" };
  const of403 = { ...mismatch, expected: "status 401", got: "403" };
  const of202 = { ...mismatch, expected: "status 400", got: "202" };

  test("shows first what no cause explains", () => {
    const told = toldOf(of422, of202);
    expect(told?.cause).toBeUndefined();
    expect(told?.mismatches).toEqual([of202, of422]);
    expect(told?.reason).toMatch(/^run: expected status 400, got 202; /);
  });

  test("is not run under the cause that explains it where it is in doubt beside others", () => {
    const told = toldAs("inconclusive", [of422]);
    expect(told).toMatchObject({ verdict: "not-run", cause: "refusals-422" });
    expect(toldAs("inconclusive", [of422, of202])?.verdict).toBe("inconclusive");
  });

  test("is told under a cause where several explain all of it together", () => {
    expect(toldOf(of422, of403)).toMatchObject({ verdict: "fail", cause: "refusals-422" });
    expect(toldOf(of202)).toMatchObject({ reason: "all of them" });
  });
});

function failedByHealth(status: number): Partial<RequirementResult> {
  return {
    verdict: "fail",
    covers: ["AUTH-03"],
    mismatches: [{ ...mismatch, requirement: "AUTH-03", exchange: 0 }],
    evidence: [
      {
        request: { method: "GET", url: "http://127.0.0.1:1/v2/e/health", headers: {}, body: null },
        response: { status, headers: {}, body: null },
        atMs: 0,
        curl: "",
      },
    ],
  };
}

describe("where health has another shape", () => {
  const discovery = new Discovery();
  learnHealth(discovery, exchangeOf({ status: "ok" }, { operation: "health" }));

  test("what its counts show is not run, and a refusal by it fails as everywhere", () => {
    const told = resultsUnderCauses(
      [resultOf(failedByHealth(200)), resultOf(failedByHealth(401))],
      discovery,
      { needs: [], isLast: false },
    );
    expect(told.map(({ verdict }) => verdict)).toEqual(["not-run", "fail"]);
  });
});

describe("what could not be decided because of something that another requirement is about", () => {
  const open = resultOf({
    verdict: "inconclusive",
    covers: ["AUTH-06"],
    reason: "cancel with a wrong key had to answer 401",
    judgedBy: ["AUTH-01", "AUTH-02"],
  });
  const broken = resultOf({ verdict: "fail", covers: ["AUTH-02"], cause: "key-not-asked" });

  test("is not run where that is broken, under its cause", () => {
    const [told] = resultsUnderBroken([open, broken]);
    expect(told).toMatchObject({
      verdict: "not-run",
      reason: "not decided, because AUTH-02 is broken",
      cause: "key-not-asked",
    });
  });

  test("stays undecided where that holds, and where something else is broken", () => {
    const others = [resultOf({ covers: ["AUTH-02"] }), resultOf({ verdict: "fail" })];
    const [told] = resultsUnderBroken([open, ...others]);
    expect(told?.verdict).toBe("inconclusive");
    expect(told).not.toHaveProperty("judgedBy");
  });

  test("a failure stays one", () => {
    const failed = resultOf({ verdict: "fail", judgedBy: ["AUTH-02"] });
    expect(resultsUnderBroken([failed, broken]).map(({ verdict }) => verdict)).toEqual([
      "fail",
      "fail",
    ]);
  });
});

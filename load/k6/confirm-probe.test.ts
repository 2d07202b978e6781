import { describe, expect, test } from "vitest";

import type { RequirementResult } from "../../harness/judge.ts";
import { tiers } from "../../openapi/operations.ts";
import type { Tier } from "../../openapi/operations.ts";
import { engineFinding } from "../result.ts";
import type { EngineFinding } from "../result.ts";
import { askAllWhereTheyDisagree } from "./confirm-probe.ts";
import { headerOf } from "./judge-rate.ts";

const run = tiers.find(({ operation }) => operation === "run");
if (run === undefined) throw new Error("run has a limit");
const tier: Tier = run;

function foundBy(verdict: string): EngineFinding {
  const mismatch = { requirement: tier.rate, at: "", expected: "2000", got: "1900" };
  return engineFinding("k6", headerOf(tier), {
    durationMs: 1,
    mismatches: verdict === "fail" ? [mismatch] : [],
    undecided: verdict === "inconclusive" ? ["too late"] : [],
    figures: {},
  });
}

/**
 * What is asked again where the probe says one thing and another engine something else, the one rate of k6 or the burst
 * of autocannon, and the verdict of k6 then.
 */
async function confirmed(probe: string, other: string, by: "k6" | "autocannon" = "k6") {
  const asked: string[] = [];
  const found = await askAllWhereTheyDisagree(
    new Map(by === "k6" ? [[tier, foundBy(other)]] : []),
    {
      probed: [{ ...foundBy(probe).check, name: "load/probe/rate" } satisfies RequirementResult],
      bursts: by === "k6" ? [] : [foundBy(other)],
      tiers: [tier],
      ask: async (some, name) => {
        asked.push(name);
        return some.map(() => foundBy("pass"));
      },
    },
  );
  const { verdict, attempts } = found.get(tier)?.check ?? {};
  return { asked, verdict, reasons: attempts?.map(({ reason }) => reason) };
}

describe("the one rate of k6 beside what the probe has found", () => {
  test.each(["pass", "fail"])("is enough where both say %s", async (verdict) => {
    expect(await confirmed(verdict, verdict)).toEqual({ asked: [], verdict });
  });

  test.each([
    ["pass", "fail"],
    ["fail", "pass"],
  ])("is followed by all rates where the probe says %s and k6 %s", async (probe, oneRate) => {
    const before = oneRate === "pass" ? /^at one rate, which the probe/u : /2000.*1900/u;
    expect(await confirmed(probe, oneRate)).toEqual({
      asked: ["rate-all"],
      verdict: "pass",
      reasons: [expect.stringMatching(before)],
    });
  });

  test.each([
    ["inconclusive", "fail"],
    ["pass", "inconclusive"],
  ])("is not where the probe says %s and k6 %s", async (probe, oneRate) => {
    expect(await confirmed(probe, oneRate)).toEqual({ asked: [], verdict: oneRate });
  });
});

describe("the burst of autocannon, where k6 sent nothing", () => {
  test.each([
    ["pass", "fail"],
    ["fail", "pass"],
  ])("is followed by all rates where the probe says %s and it %s", async (probe, burst) => {
    expect(await confirmed(probe, burst, "autocannon")).toEqual({
      asked: ["rate-all"],
      verdict: "pass",
    });
  });

  test.each([
    ["pass", "pass"],
    ["pass", "inconclusive"],
    ["inconclusive", "fail"],
  ])("is enough where the probe says %s and it %s", async (probe, burst) => {
    expect(await confirmed(probe, burst, "autocannon")).toEqual({ asked: [] });
  });
});

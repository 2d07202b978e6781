import { expect, test } from "vitest";

import { tiers } from "../../openapi/operations.ts";
import type { Tier } from "../../openapi/operations.ts";
import { checkResult } from "../result.ts";
import type { EngineFinding } from "../result.ts";
import { retryUndecidedRates } from "./retry-rates.ts";

function finding(
  { operation, rate: requirement }: Tier,
  undecided: readonly string[],
): EngineFinding {
  const title = "a rate";
  const figures = {
    scenario: operation,
    engine: "k6",
    figures: {},
    requirements: [requirement],
  } as const;
  return {
    check: checkResult({
      name: operation,
      title,
      requirement,
      durationMs: 1,
      mismatches: [],
      undecided,
    }),
    beside: [],
    figures,
  };
}

const late = (tier: Tier): EngineFinding => finding(tier, ["k6 was late"]);
const kept = (tier: Tier): EngineFinding => finding(tier, []);
const verdicts = (all: readonly EngineFinding[]): readonly string[] =>
  all.map(({ check }) => check.verdict);

async function unasked(): Promise<readonly EngineFinding[]> {
  throw new Error("nothing was to be asked");
}

test("asks again for what was left undecided, a few at a time, and keeps the rest", async () => {
  const asked: string[][] = [];
  const first = tiers.map((tier) => (tier.operation === "run" ? kept(tier) : late(tier)));
  const findings = await retryUndecidedRates(tiers, first, {
    areApart: true,
    ask: async (few) => {
      asked.push(few.map(({ operation }) => operation));
      return few.map(kept);
    },
  });
  expect(verdicts(findings)).toEqual(tiers.map(() => "pass"));
  expect(findings.map(({ check }) => check.name)).toEqual(tiers.map(({ operation }) => operation));
  expect(asked.flat()).not.toContain("run");
  expect(Math.max(...asked.map(({ length }) => length))).toBe(3);
});

test.each([
  { areApart: true, groups: [2, 1, 1] },
  { areApart: false, groups: [1, 1, 1, 1] },
])(
  "asks twice: what is late again is asked alone, and its tries are kept ($areApart)",
  async ({ areApart, groups }) => {
    const asked: number[] = [];
    const ask = async (few: readonly Tier[]): Promise<readonly EngineFinding[]> => {
      asked.push(few.length);
      return few.map(late);
    };
    const few = tiers.slice(0, 2);
    const findings = await retryUndecidedRates(few, few.map(late), { ask, areApart });
    expect(verdicts(findings)).toEqual(["inconclusive", "inconclusive"]);
    expect(asked).toEqual(groups);
    const attempt = { verdict: "inconclusive", reason: "k6 was late", durationMs: 1 };
    expect(findings.map(({ check }) => check.attempts)).toEqual([
      [attempt, attempt],
      [attempt, attempt],
    ]);
  },
);

test("asks nothing where all was decided, or the run was stopped", async () => {
  const ask = unasked;
  expect(
    verdicts(await retryUndecidedRates(tiers, tiers.map(kept), { ask, areApart: true })),
  ).toContain("pass");
  const stopped = { ask, areApart: true, signal: AbortSignal.abort() };
  expect(verdicts(await retryUndecidedRates(tiers, tiers.map(late), stopped))).toContain(
    "inconclusive",
  );
});

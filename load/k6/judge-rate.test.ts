import { describe, expect, test } from "vitest";

import { ratePhases } from "../../scenarios/rate.ts";
import type { RateLevel, RatePhase } from "../../scenarios/rate.ts";
import type { Tier } from "../../openapi/operations.ts";
import type { EngineFinding } from "../result.ts";
import { judgeRate, phaseNameOf } from "./judge-rate.ts";
import { readK6Summary } from "./summary.ts";

const run: Tier = { rate: "RATE-02", operation: "run", limit: 1_000 };

interface Counts {
  readonly sent: number;
  readonly accepted: number;
  readonly refused: number;
  readonly faulty?: number;
  readonly other?: number;
  readonly unanswered?: number;
  readonly latenessMs?: number;
  readonly slowestMs?: number;
}

/** The counts that a limiter with fixed windows gives. */
const right: Readonly<Record<RateLevel, Counts>> = {
  below: { sent: 1_601, accepted: 1_601, refused: 0 },
  at: { sent: 2_001, accepted: 2_000, refused: 1 },
  above: { sent: 4_001, accepted: 2_000, refused: 2_001 },
};

describe("the counts of one k6 run", () => {
  test.each<[string, Partial<Record<RateLevel, Counts>>]>([
    ["windows of its own", {}],
    ["a token bucket", { above: { sent: 4_001, accepted: 3_001, refused: 1_000 } }],
    ["a sliding counter", { at: { sent: 2_001, accepted: 1_999, refused: 2 } }],
  ])("pass for %s", (_kind, counts) => {
    expect(judged(counts).check).toMatchObject({ verdict: "pass", covers: ["RATE-02"] });
  });

  test.each<[string, Partial<Record<RateLevel, Counts>>]>([
    ["no limit", { above: { sent: 4_001, accepted: 4_001, refused: 0 } }],
    ["a limit twice as high", { above: { sent: 4_001, accepted: 4_000, refused: 1 } }],
    ["refusals that count", { above: { sent: 4_001, accepted: 1_000, refused: 3_001 } }],
    ["a window of 20 s", { at: { sent: 2_001, accepted: 1_000, refused: 1_001 } }],
    [
      "a limit lower than the rate below it",
      { below: { sent: 1_601, accepted: 1_400, refused: 201 } },
    ],
    ["one refused below it", { below: { sent: 1_601, accepted: 1_600, refused: 1 } }],
    [
      "a few refused that lateness explains no more",
      { at: { sent: 2_001, accepted: 1_990, refused: 11 } },
    ],
    ["503 for 429", { above: { sent: 4_001, accepted: 2_000, refused: 0, other: 2_001 } }],
    [
      "500 for 429",
      {
        at: { sent: 2_001, accepted: 2_000, refused: 0, faulty: 1 },
        above: { sent: 4_001, accepted: 2_000, refused: 0, faulty: 2_001 },
      },
    ],
  ])("fail for %s", (_bug, counts) => {
    const { check } = judged(counts);
    expect(check.verdict).toBe("fail");
    expect(check.reason).toContain("expected");
    expect(check.mismatches.length).toBeGreaterThan(0);
  });

  test.each<[string, string, Counts]>([
    [
      "pass where the limit fits all the same",
      "pass",
      { sent: 1_601, accepted: 1_598, refused: 0, faulty: 3 },
    ],
    [
      "decide nothing where it depends on them",
      "inconclusive",
      { sent: 1_601, accepted: 1_300, refused: 298, faulty: 3 },
    ],
  ])("tell 404 and 500 under the operation's requirement, and %s", (_what, verdict, below) => {
    const { check, beside } = judged({ below });
    expect(check.verdict).toBe(verdict);
    expect(beside).toMatchObject([{ covers: ["RUNA-01"], verdict: "fail" }]);
  });

  test.each<[string, Partial<Record<RateLevel, Counts>>, string]>([
    ["too little", { at: { sent: 1_900, accepted: 1_900, refused: 0 } }, "k6 sent 1900, 1980 to"],
    [
      "with answers too far apart to tell when they were counted",
      { at: { ...right.at, latenessMs: 700, slowestMs: 600 } },
      "with the spread of the answers' times 1300 ms",
    ],
    ["nothing", { above: { sent: 0, accepted: 0, refused: 0 } }, "k6 sent 0"],
    ["too late", { at: { ...right.at, latenessMs: 1_251 } }, "k6 sent up to 1251 ms late"],
    [
      "without answers",
      { above: { sent: 4_001, accepted: 2_000, refused: 1_900, unanswered: 101 } },
      "101 requests had no answer",
    ],
    [
      "more than was counted",
      { above: { sent: 4_001, accepted: 2_000, refused: 1_900 } },
      "4001 sent, but 3900 counted by answer",
    ],
  ])("decide nothing of requests sent %s", (_what, counts, reason) => {
    const { check } = judged(counts);
    expect(check.verdict).toBe("inconclusive");
    expect(check.reason).toContain(reason);
  });

  test("pass where lateness explains what was refused", () => {
    const at = { sent: 2_001, accepted: 1_990, refused: 11, latenessMs: 20 };
    expect(judged({ at }).check.verdict).toBe("pass");
  });

  test("decide nothing where k6 broke off", () => {
    const { check } = judged({ above: { sent: 4_001, accepted: 4_001, refused: 0 } }, "k6 broke");
    expect(check).toMatchObject({ verdict: "inconclusive", reason: "k6 broke" });
  });

  test("stand in the figures", () => {
    const { figures } = judged({});
    expect(figures).toMatchObject({ scenario: "load/k6/rate-run", engine: "k6" });
    expect(figures.figures).toMatchObject({ "at accepted": 2_000, "above refused": 2_001 });
  });
});

function judged(counts: Partial<Record<RateLevel, Counts>>, undecided?: string): EngineFinding {
  const all = { ...right, ...counts };
  const phases = ratePhases(run);
  const metrics = phases.flatMap((phase) => metricsOf(phase, all[phase.level]));
  const summary = readK6Summary(JSON.stringify({ metrics: Object.fromEntries(metrics) }));
  return judgeRate({ tier: run, phases, summary, undecided, durationMs: 1 });
}

function metricsOf(
  phase: RatePhase,
  { latenessMs = 0, slowestMs = 0, ...counts }: Counts,
): readonly (readonly [string, object])[] {
  const part = `{phase:${phaseNameOf(phase)}}`;
  const counters = Object.entries({ ...counts }).map(
    ([what, count]: [string, number]) => [`requests_${what}${part}`, { count }] as const,
  );
  return [
    ...counters,
    [`lateness${part}`, { max: latenessMs }],
    [`http_req_duration${part}`, { min: 0, max: slowestMs }],
  ];
}

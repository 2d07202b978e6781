import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { capabilities } from "../../openapi/capabilities.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import { scenarios } from "../../scenarios/scenarios.ts";
import { k6Script } from "../k6/rate.ts";
import type { K6Values } from "../k6/summary.ts";
import { judgeScenario } from "./judge.ts";
import type { ScenarioFinding } from "./judge.ts";
import { planOf } from "./run-scenario.ts";

const named = scenarios.map((scenario) => ({ name: scenario.name, scenario }));

describe.each(named)("$name", ({ scenario }) => {
  test("says in the header of its script what it asks, what has to hold and what it costs", () => {
    const script = readFileSync(k6Script(scenario.name), "utf8");
    const [, header = ""] = /^((?:\/\/.*\n)+)/.exec(script) ?? [];
    const text = header.replaceAll(/^\/\/ +/gm, "").replaceAll("\n", " ");
    const limits = `${scenario.limits.charAt(0).toLowerCase()}${scenario.limits.slice(1)}`;
    expect(text).toContain(`Scenario: ${scenario.question}`);
    expect(text.toLowerCase()).toContain(`limits: ${limits.toLowerCase()}.`);
    expect(text).toMatch(/Cost: .+\./);
  });

  test("has a cost", () => {
    const { cost } = about(scenario).plan;
    expect(cost.requests).toBeGreaterThanOrEqual(cost.jobs);
    expect(cost.peakPerSecond).toBeGreaterThan(0);
  });

  test("is answered yes where every figure is in its bounds", () => {
    const { verdict, answer, reason } = judged(scenario, {});
    expect({ verdict, reason }).toEqual({ verdict: "pass", reason: undefined });
    expect(answer).toMatch(/^[A-Z].*\.$/);
  });

  test("is not answered where k6 did nothing", () => {
    const { plan } = about(scenario);
    const nothing = { scenario, plan, summary: new Map(), undecided: undefined, durationMs: 1 };
    const { verdict, checks } = judgeScenario(nothing);
    expect(verdict).toBe("inconclusive");
    expect(checks.map((check) => check.verdict)).not.toContain("pass");
  });

  test("is not answered where k6 broke off", () => {
    const { plan } = about(scenario);
    const broken = { scenario, plan, summary: undefined, undecided: "k6 broke", durationMs: 1 };
    expect(judgeScenario(broken)).toMatchObject({ verdict: "inconclusive", reason: "k6 broke" });
  });

  test("is answered no for 5xx, and not at all where answers are missing", () => {
    expect(judged(scenario, { requests_broken: { count: 1 } }).verdict).toBe("fail");
    const missing = { requests_unanswered: { count: 1 } };
    expect(judged(scenario, missing).verdict).toBe("inconclusive");
  });
});

describe("of requirements", () => {
  test("a failure names the one that was broken, the rest stays open", () => {
    const finding = judged(scenarioNamed("whole-jobs"), { jobs_lost: { count: 3 } });
    expect(finding.checks).toMatchObject([
      {
        covers: ["LIFE-08"],
        verdict: "fail",
        mismatches: [{ at: "whole-jobs: jobs lost", expected: "at most 0", got: "3" }],
      },
    ]);
  });

  test("half of a limit proves none", () => {
    expect(judged(scenarioNamed("steady-mix"), {}).checks).toEqual([]);
  });
});

describe("the drift of a soak", () => {
  const drifted = {
    "http_req_duration{phase:quarter-1}": { med: 4, p95: 9 },
    "http_req_duration{phase:quarter-4}": { med: 20, p95: 40 },
  };

  test("is a no", () => {
    const { verdict, reason } = judged(scenarioNamed("soak"), drifted);
    expect(verdict).toBe("fail");
    expect(reason).toContain("12 ms by which the last quarter's median is over twice the first's");
  });

  test("is no answer where k6 itself became slower", () => {
    const late = { "lateness{phase:quarter-4}": { p95: 30 } };
    expect(judged(scenarioNamed("soak"), { ...drifted, ...late }).verdict).toBe("inconclusive");
  });

  test("of memory is a no, too, where more than the results is kept", () => {
    const grown = { "memory.first": { max: 1e8 }, "memory.last": { max: 2e9 } };
    expect(judged(scenarioNamed("soak"), grown).verdict).toBe("fail");
  });
});

test("a drained queue that shallow is a failure of health", () => {
  const shallow = { queue_depth: { max: 9_000 } };
  const { verdict, checks } = judged(scenarioNamed("deep-queue"), shallow);
  expect(verdict).toBe("fail");
  expect(checks.find(({ covers }) => covers.includes("HLTH-02"))?.verdict).toBe("fail");
});

function scenarioNamed(name: string): Scenario {
  const scenario = scenarios.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario called ${name}`);
  return scenario;
}

function about(scenario: Scenario): { readonly plan: ReturnType<typeof planOf> } {
  return { plan: planOf(scenario, { target: { capabilities } }) };
}

/** The finding of a run that just meets every demand, except for the given figures. */
function judged(scenario: Scenario, figures: Readonly<Record<string, K6Values>>): ScenarioFinding {
  const { plan } = about(scenario);
  const summary = new Map<string, K6Values>();
  for (const { metric, measure, atLeast = 0 } of plan.demands) {
    summary.set(metric, { ...summary.get(metric), [measure]: atLeast });
  }
  for (const [metric, values] of Object.entries(figures)) summary.set(metric, values);
  return judgeScenario({ scenario, plan, summary, undecided: undefined, durationMs: 1 });
}

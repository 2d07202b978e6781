import { describe, expect, test } from "vitest";

import { mixByK6 } from "../../scenarios/data/mix-k6.ts";
import type { Promised } from "../../scenarios/scenario.ts";
import type { K6Values } from "../k6/summary.ts";
import { judgeScenario } from "./judge.ts";
import type { ScenarioFinding } from "./judge.ts";
import { planOf } from "./run-scenario.ts";

const ofLatency = { name: "status p99", subject: "status", measure: "latency" } as const;
const p99: Promised = { ...ofLatency, share: 0.99, bound: 50 };
const errors: Promised = {
  name: "mix errors",
  subject: "mix",
  measure: "errors",
  share: 1,
  bound: 0.01,
};

/** The finding of a run that was punctual and measured this. */
function found(
  promises: readonly Promised[],
  figures: Readonly<Record<string, K6Values>>,
): ScenarioFinding {
  const perSecond = { run: 10, status: 20 };
  const mix = { arrival: "even", perSecond, jobs: { quick: 1 }, promises } as const;
  const target = { capabilities: ["handler"] } as const;
  const plan = planOf(mixByK6, { durationMs: 10_000, mix, target });
  const punctual = plan.phases.flatMap(({ name }) => [
    [`iterations_begun{phase:${name}}`, { count: 10_000 }] as const,
    [`lateness{phase:${name}}`, { p95: 0 }] as const,
  ]);
  const summary = new Map<string, K6Values>([
    ...punctual,
    ["requests_sent", { count: 300 }],
    ["requests_sent{op:status}", { count: 200 }],
    ...Object.entries(figures),
  ]);
  return judgeScenario({ scenario: mixByK6, plan, summary, undecided: undefined, durationMs: 1 });
}

const within = { "since_planned{op:status}": { p99: 49 } };
const beyond = { "since_planned{op:status}": { p99: 51 } };

describe("an objective that k6 measures", () => {
  test("is kept up to its bound, and broken beyond it, under its own name", () => {
    expect(found([p99], within)).toMatchObject({ verdict: "pass" });
    expect(found([p99], beyond)).toMatchObject({
      verdict: "fail",
      objectives: [{ scenario: "objective/status p99", verdict: "fail" }],
    });
  });

  test("takes as many requests as its percentile needs", () => {
    const few = { "requests_sent{op:status}": { count: 99 } };
    const said = { verdict: "inconclusive", objectives: [{ verdict: "inconclusive" }] };
    expect(found([p99], { ...within, ...few })).toMatchObject(said);
    expect(found([p99], { ...beyond, ...few })).toMatchObject(said);
  });

  test("about errors is broken by a few of few", () => {
    const sent = { requests_sent: { count: 20 } };
    expect(found([errors], { request_errors: { count: 3 } }).verdict).toBe("pass");
    expect(found([errors], { request_errors: { count: 4 } }).verdict).toBe("fail");
    expect(found([errors], { ...sent, request_errors: { count: 1 } }).verdict).toBe("fail");
    expect(found([errors], sent).verdict).toBe("inconclusive");
  });

  test("is undecided where k6 was late by more than a fifth of the bound", () => {
    const late = { ...within, "lateness{phase:status}": { p95: 11 } };
    expect(found([p99], late)).toMatchObject({
      verdict: "inconclusive",
      objectives: [{ verdict: "inconclusive" }],
    });
  });

  test("about what becomes of jobs, or an operation that is not sent, is not tried", () => {
    const ofJobs = { ...p99, name: "run completion p99", measure: "completion" } as const;
    const unsent = { ...p99, name: "health p99", subject: "health" };
    const { objectives } = found([ofJobs, unsent], {});
    expect(objectives.map(({ verdict }) => verdict)).toEqual(["not-run", "not-run"]);
    expect(objectives.map(({ reason }) => reason)).toEqual([
      "k6 sees answers, and not what becomes of jobs: name `mix` (`queueproof load mix`)",
      "the mix sent no health",
    ]);
  });

  test("about nothing leaves 5xx to fail", () => {
    expect(found([], { requests_broken: { count: 1 } })).toMatchObject({
      verdict: "fail",
      answer: "No: 1 of 300 requests were answered 5xx.",
    });
  });
});

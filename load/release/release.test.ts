import { describe, expect, onTestFinished, test } from "vitest";

import { openTarget } from "../../harness/open-target.ts";
import { startReference } from "../../reference/start-reference.ts";
import { parseObjectives } from "../objectives/objectives-file.ts";
import type { Objective } from "../objectives/objectives-file.ts";
import { faultScenarios } from "../faults/fault-scenario.ts";
import { obstacleToFault } from "../faults/fault-scenarios.ts";
import type { HealthLook } from "./burst.ts";
import { fairnessScenario, overtakings } from "./fairness.ts";
import type { Taken } from "./fairness.ts";
import { mixFindings } from "./mix-finding.ts";
import { mixScenario } from "./mix-scenario.ts";
import { scaleOutScenario, longestIdle } from "./scale-out.ts";
import { runOpenLoopScenarios } from "./scenario.ts";
import type { JudgedLoad } from "../open-loop/judged-load.ts";
import type { OpenLoopScenario } from "./scenario.ts";

async function found(
  scenario: OpenLoopScenario,
  size: {
    readonly durationMs?: number;
    readonly scale?: number;
    readonly objectives?: readonly Objective[];
  } = {},
): Promise<readonly JudgedLoad[]> {
  const reference = await startReference();
  onTestFinished(async () => reference.stop());
  const { baseUrl, controlUrl = "" } = reference;
  const target = await openTarget({ baseUrl, controlUrl, capabilities: [] });
  return runOpenLoopScenarios([scenario], {
    target,
    hooks: {},
    seed: 1,
    environment: {},
    objectives: [],
    ...size,
  });
}

function objectives(given: unknown): readonly Objective[] {
  const result = parseObjectives(given);
  return result.ok ? result.objectives : [];
}

function look(atMs: number, inQueue: number, idle: number): HealthLook {
  return { atMs, inQueue, idle, working: 0 };
}

function taken(submittedMs: number, takenMs: number): Taken {
  return { submittedMs, takenMs };
}

describe("load before a release, on the embedded reference", () => {
  test("a mix judges each objective under its own name", async () => {
    const given = objectives({
      status: { max: "1m", errors: "50%" },
      health: { p50: "0.001ms" },
      run: { completion: { max: "1m" } },
    });
    const entries = await found(mixScenario, { durationMs: 2_000, objectives: given });
    const verdicts = entries.map(({ scenario, verdict }) => `${scenario} ${verdict}`);
    // Where this machine is busy, what is over its bound may be its own lateness, and is not decided.
    const over = "(?:fail|inconclusive)";
    expect(verdicts.join("\n")).toMatch(
      new RegExp(
        `^load/mix ${over}\nobjective/run completion max pass\nobjective/status max pass\nobjective/status errors pass\nobjective/health p50 ${over}$`,
      ),
    );
    const [mix] = entries;
    expect(mix?.reason).toMatch(/^health p50: /);
    expect(mix?.figures["5xx"]).toBe(0);
    // 26.5 a second, and a job for each cancel.
    expect(mix?.figures["requests"]).toBeGreaterThan(50);
  });

  test("work comes to all workers, and the order of jobs is told", async () => {
    const [out] = await found(scaleOutScenario, { scale: 0.4 });
    expect(out).toMatchObject({ verdict: "pass", figures: { "most jobs at work": 2, workers: 2 } });
    const [fair] = await found(fairnessScenario, { scale: 0.1 });
    expect(fair).toMatchObject({ verdict: "pass", figures: { jobs: 10 } });
    // Two workers tell of what they begin at the same time in any order.
    expect(fair?.figures["overtaken by at most"]).toBeLessThanOrEqual(2);
  });
});

test("a job waits beside an idle worker from the first look that shows it to the last", () => {
  expect(longestIdle([look(0, 1, 1), look(700, 2, 1), look(800, 0, 1), look(900, 1, 1)])).toBe(700);
  expect(longestIdle([look(0, 1, 0), look(900, 1, 0)])).toBe(0);
});

test("a job is overtaken by those that came after it and were taken before it", () => {
  expect(overtakings([taken(1, 9), taken(2, 3), taken(3, 4), taken(4, 10)])).toEqual([2, 0, 0, 0]);
});

test("a fault that nothing can bring about says which hook would", () => {
  const target = { baseUrl: "http://127.0.0.1:1", capabilities: ["handler"] as const };
  const obstacles = faultScenarios.map((scenario) =>
    obstacleToFault(scenario, { target, hooks: {} }),
  );
  expect(obstacles).toEqual([
    "nothing says how: give --hook restart='COMMAND'",
    "nothing says how: give --hook kill='COMMAND' and --hook start='COMMAND'",
    "nothing says how: give --hook pause='COMMAND' and --hook resume='COMMAND'",
    undefined,
    undefined,
    undefined,
  ]);
  const own = { ...target, capabilities: ["quick"] as const };
  const loss = faultScenarios.filter(({ name }) => name === "worker-loss");
  expect(loss.map((scenario) => obstacleToFault(scenario, { target: own, hooks: {} }))).toEqual([
    "nothing says how: give --hook kill-workers='COMMAND' and --hook start-workers='COMMAND'",
  ]);
});

test("a job that never ends keeps no promise about ends, nor one that yields nothing about chunks", () => {
  const waiting = { id: "a", status: "IN_QUEUE" };
  const jobs = [1, 2].map((number) => ({
    number,
    role: "mix" as const,
    operation: "run" as const,
    endpointId: "e",
    hasWebhook: false,
    streams: true,
    sentMs: 1_000 * number,
    answeredMs: 1_000 * number,
    id: String(number),
    sightings: [{ sentMs: 9_000, atMs: 9_001, record: waiting }],
    retriedMs: [],
  }));
  const request = {
    operation: "run",
    plannedMs: 1,
    sentMs: 1,
    answeredMs: 2,
    status: 200,
  } as const;
  const outcome = {
    startMs: 0,
    durationMs: 10_000,
    endedMs: 10_000,
    requests: [request],
    jobs,
    firstChunks: new Map(),
    lateness: { begun: 1, lateMs: [0] },
    undecided: undefined,
  };
  const times = { completion: { max: "5s" }, firstChunk: { max: "5s" }, queueDelay: { max: "5s" } };
  const [, ...judged] = mixFindings(mixScenario, outcome, objectives({ run: times }));
  expect(judged.map(({ scenario, verdict }) => `${scenario} ${verdict}`)).toEqual([
    "objective/run completion max fail",
    "objective/run firstChunk max fail",
    "objective/run queueDelay max fail",
  ]);
});

import type { RequirementResult } from "../../harness/judge.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import { isJobKind } from "../../openapi/capabilities.ts";
import { ensureTool } from "../go-tools/ensure.ts";
import type { FoundTool, MissingTool } from "../go-tools/find.ts";
import { k6Tool } from "../k6/tool.ts";
import { stopReason } from "../../harness/outcome.ts";
import { entryOf, requirementsOf } from "./judge.ts";
import { notMeasured } from "./judge-promises.ts";
import type { ScenarioEntry, ScenarioFinding } from "./judge.ts";
import { obstacleTo, planOf, runScenario } from "./run-scenario.ts";
import type { ScenarioOptions } from "./run-scenario.ts";
import { sharedTarget } from "../distributed/shared-target.ts";
import { obstacleToSharing } from "./share.ts";

export interface ScenariosOptions extends Omit<ScenarioOptions, "k6"> {
  readonly scenarios: readonly Scenario[];
  readonly onBuilding?: (text: string) => void;
  readonly onStarted?: (scenario: Scenario) => void;
  readonly onFinished?: (entry: ScenarioEntry, durationMs: number) => void;
}

export interface ScenariosRun {
  readonly results: readonly RequirementResult[];
  readonly load: readonly ScenarioEntry[];
}

/** Runs the scenarios one after the other, so that none disturbs another. One that cannot run is not-run. */
export async function runScenarios(options: ScenariosOptions): Promise<ScenariosRun> {
  const { scenarios, signal } = options;
  const results: RequirementResult[] = [];
  const load: ScenarioEntry[] = [];
  if (scenarios.length === 0) return { results, load };
  const k6 = await ensureTool(k6Tool, options);
  for (const scenario of scenarios) {
    const obstacle =
      signal?.aborted === true ? stopReason(signal) : obstacleOf(scenario, k6, options);
    if (obstacle === undefined) options.onStarted?.(scenario);
    const beganMs = performance.now();
    const found =
      obstacle === undefined && !("missing" in k6)
        ? await runScenario(scenario, { ...options, k6 })
        : notRun(scenario, options, obstacle ?? "");
    const entry = entryOf(scenario, found);
    results.push(...found.checks);
    load.push(entry, ...(options.share === undefined ? found.objectives : []));
    options.onFinished?.(entry, Math.round(performance.now() - beganMs));
  }
  return { results, load };
}

const poissonReason =
  "k6 sends at equal distances: a mix with arrival poisson is sent by `queueproof load mix`";

function obstacleOf(
  scenario: Scenario,
  k6: FoundTool | MissingTool,
  options: ScenariosOptions,
): string | undefined {
  if ("missing" in k6) return k6.missing;
  if (scenario.takesMix === true && options.mix?.arrival === "poisson") return poissonReason;
  const { share, target } = options;
  if (share === undefined) {
    const { cost } = planOf(scenario, options);
    return obstacleTo(scenario, target) ?? options.meter?.whyTooMuch?.(cost);
  }
  // What all runners sent is judged without the jobs file of each.
  if (target.jobs !== undefined && scenario.needs.some((need) => isJobKind(need))) {
    return "runners that share a scenario need the conformance handler: jobs of your own run on one machine";
  }
  const shared = sharedTarget(target);
  const plan = planOf(scenario, { ...options, target: shared });
  const sharing = { plan, runners: share.segment.of, way: "segment" } as const;
  return obstacleToSharing(scenario, sharing) ?? obstacleTo(scenario, shared);
}

function notRun(scenario: Scenario, options: ScenariosOptions, reason: string): ScenarioFinding {
  const plan = planOf(scenario, options);
  const requirements = requirementsOf(plan);
  const objectives = (plan.promises ?? []).map((promise) => notMeasured(promise, reason));
  return { verdict: "not-run", reason, figures: {}, requirements, checks: [], objectives };
}

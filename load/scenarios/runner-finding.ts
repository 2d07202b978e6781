import type { LoadPoints } from "../../reports/model.ts";
import type { Scenario, ScenarioPlan } from "../../scenarios/scenario.ts";
import { aloneReason } from "../k6/rate-finding.ts";
import { judgeScenario } from "./judge.ts";
import type { ScenarioFinding } from "./judge.ts";

/** What one of several runners says of a scenario: alone it decides nothing, and says where its points are. */
export function findingOfRunner(
  scenario: Scenario,
  plan: ScenarioPlan,
  { points, durationMs }: { readonly points: LoadPoints; readonly durationMs: number },
): ScenarioFinding {
  const undecided = points.undecided ?? aloneReason(points);
  const { runner, runners } = points;
  return {
    ...judgeScenario({ scenario, plan, summary: undefined, undecided, durationMs }),
    figures: { runner, runners },
    points,
  };
}

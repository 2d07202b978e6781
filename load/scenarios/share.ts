import { capabilities } from "../../openapi/capabilities.ts";
import type { Capability } from "../../openapi/capabilities.ts";
import type { LoadPoints } from "../../reports/model.ts";
import { atMost, runnersMax } from "../../scenarios/scenario.ts";
import type { Scenario, ScenarioPlan, SharingWay } from "../../scenarios/scenario.ts";

/** The size in which a shared scenario runs: it has to be the same for every runner. */
export type RequestedSize = NonNullable<LoadPoints["asked"]>;

/** The runners have to begin within this of each other; else the load was not the planned one. */
const apartMsMax = 1_000;

/** The plan that several runners are held to, together. */
export function sharedPlan(plan: ScenarioPlan): ScenarioPlan {
  const what = "ms from the first runner's start to the last one's";
  const together = atMost(apartMsMax, "runners.apart", what, { of: "engine" });
  return { ...plan, demands: [...plan.demands, together] };
}

/** Why a scenario cannot be shared by this many runners in this way; undefined where it can. */
export function obstacleToSharing(
  scenario: Scenario,
  {
    plan,
    runners,
    way,
  }: { readonly plan: ScenarioPlan; readonly runners: number; readonly way: SharingWay },
): string | undefined {
  const reason = scenario.unshared?.[way];
  if (reason !== undefined) return reason;
  const most = runnersMax(plan);
  if (runners <= most) return undefined;
  return `at this size it keeps ${most} busy at once, so at most ${most} runners can share it`;
}

/** Those of the capabilities in a report that this version knows. */
export function knownCapabilities(names: readonly string[]): readonly Capability[] {
  return capabilities.filter((capability) => names.includes(capability));
}

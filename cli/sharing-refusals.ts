import { sharedCapabilities } from "../load/distributed/shared-target.ts";
import { obstacleToSharing } from "../load/scenarios/share.ts";
import { offeredMixOf } from "../load/scenarios/mix-size.ts";
import { planOf } from "../load/scenarios/run-scenario.ts";
import { CommandError } from "./errors.ts";
import type { ScenarioChoice } from "./load-scenarios.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import type { ContractCommandSettings, RunCommand } from "./settings/contract.ts";

/**
 * Refuses, before anything is sent or written, load that several runners are to share and cannot.
 * @throws CommandError WRONG_USAGE, with the reason and what to do instead
 */
export function refuseUnshareable(settings: ContractCommandSettings, command: RunCommand): void {
  const { scenarios: choice, sharing } = settings;
  const { segment, distributed, runners } = sharing;
  if (command === "run") {
    throw refusal(
      "a contract is not shared among runners",
      "--segment and --distributed are options of `queueproof load`.",
    );
  }
  if (choice === undefined) return;
  if (choice.probe || choice.bursts.size > 0 || choice.openLoop.length > 0) {
    throw refusal(
      "the probe, the bursts and scenarios of our own open loop run on one machine only",
      "Name rates or scenarios; `queueproof list --scenarios` shows what can be shared.",
    );
  }
  const way = distributed ?? "segment";
  for (const scenario of choice.scenarios) {
    const plan = sharedPlanOf(scenario, settings);
    const obstacle = obstacleToSharing(scenario, { plan, runners: segment?.of ?? runners, way });
    if (obstacle === undefined) continue;
    const problem = `${scenario.name} cannot be shared like that: ${obstacle}`;
    throw refusal(problem, hintFor(way, scenario));
  }
  if (segment !== undefined) refuseSeveral(choice);
}

/** Refuses several scenarios at once: runners start together only once and would drift apart. */
function refuseSeveral({ scenarios, rates }: ScenarioChoice): void {
  if (scenarios.length + Math.min(1, rates.size) <= 1) return;
  throw refusal(
    "runners begin together once: only one scenario can be shared at a time",
    `Share ${scenarios[0]?.name ?? ""} alone, and the others after it with a --start-at of their own.`,
  );
}

function sharedPlanOf(
  scenario: Scenario,
  settings: ContractCommandSettings,
): ReturnType<typeof planOf> {
  const { durationMs, scale, capabilities } = settings;
  const target = { capabilities: sharedCapabilities(capabilities) };
  return planOf(scenario, { durationMs, scale, mix: offeredMixOf(settings), target });
}

function hintFor(way: "segment" | "k8s", { name, unshared }: Scenario): string {
  const reason = unshared?.[way];
  if (reason === undefined) return "Take fewer runners.";
  return way === "k8s" && unshared?.segment === undefined
    ? `Start \`queueproof load ${name} --segment 1/N\` on each machine instead.`
    : `Run \`queueproof load ${name}\` on one machine.`;
}

function refusal(problem: string, hint: string): CommandError {
  return new CommandError("WRONG_USAGE", problem, { hint });
}

import type { Tier } from "../../openapi/operations.ts";
import type { LoadPoints } from "../../reports/model.ts";
import { segmentOf } from "../../client/job-client.ts";
import { rateFindingOfRunner } from "../../load/k6/rate-finding.ts";
import { offeredTiers } from "../../load/engines-plan.ts";
import { rateSettings } from "../../load/k6/rate.ts";
import { entryOf } from "../../load/scenarios/judge.ts";
import { offeredMixOf } from "../../load/scenarios/mix-size.ts";
import { lackingFor, planOf } from "../../load/scenarios/run-scenario.ts";
import { findingOfRunner } from "../../load/scenarios/judge.ts";
import { isJobKind } from "../../openapi/capabilities.ts";
import { scenarioSettings } from "../../load/scenarios/settings.ts";
import { sharedCapabilities } from "../../load/distributed/shared-target.ts";
import type { ReportInput } from "../../reports/create-report.ts";
import type { Scenario } from "../../scenarios/scenario.ts";
import { CommandError } from "../errors.ts";
import { tiersWanted } from "../load-plan.ts";
import { choiceOf } from "../load-scenarios.ts";
import type { ContractCommandSettings } from "../settings/contract.ts";
import type { GivenTarget } from "../settings/given-target.ts";

/** One test that the k6 operator runs. */
export interface ClusterScenario {
  /** The name of everything that is made for the test in the cluster, and of its runners' reports. */
  readonly name: string;
  /** The folder of its manifests, inside the report's folder. */
  readonly folder: string;
  /** The name of the script in scenarios/k6. */
  readonly script: string;
  /** The script's settings, without the key. */
  readonly settings: unknown;
  /** The content of a runner's report until the points of all runners are there. */
  readonly leftBy: (points: LoadPoints) => Pick<ReportInput, "results" | "load">;
}

/**
 * Makes one test of all selected rates, and one of each scenario that is named.
 * @throws CommandError WRONG_USAGE where nothing is left, or a scenario needs what was not declared
 */
export async function clusterTests(
  settings: ContractCommandSettings,
  { baseUrl, endpointId = "" }: GivenTarget,
): Promise<readonly ClusterScenario[]> {
  const url = `${baseUrl}/v2/${segmentOf(endpointId)}`;
  const { scenarios } = choiceOf(settings);
  const tiers = offeredTiers(tiersWanted(settings).rates, (each) =>
    settings.capabilities.includes(each),
  );
  if (tiers.length === 0 && scenarios.length === 0) {
    throw new CommandError("WRONG_USAGE", "no rate is left to run", {
      hint: "Select one of RATE-01 to RATE-08; cancel, openai and requests need their --capability.",
    });
  }
  return [
    ...(tiers.length === 0 ? [] : [await rateTest(tiers, url)]),
    ...scenarios.map((scenario) => scenarioTest(scenario, url, settings)),
  ];
}

async function rateTest(tiers: readonly Tier[], url: string): Promise<ClusterScenario> {
  const ending = { summary: undefined, undecided: undefined, durationMs: 0 };
  return {
    name: "queueproof-rate",
    folder: "k8s",
    script: "rate",
    settings: await rateSettings({
      tiers,
      endpointFor: async () => ({ url }),
      rateMode: { endpoints: "shared", rates: "all" },
    }),
    leftBy: (points) => {
      const findings = tiers.map((tier) => rateFindingOfRunner(tier, ending, points));
      return {
        results: findings.map(({ check }) => check),
        load: findings.map(({ figures }) => figures),
      };
    },
  };
}

function scenarioTest(
  scenario: Scenario,
  url: string,
  settings: ContractCommandSettings,
): ClusterScenario {
  const { durationMs = scenario.durationMs, scale = 1, capabilities } = settings;
  const offered = sharedCapabilities(capabilities);
  const missing = lackingFor(scenario, offered).map((need) => (isJobKind(need) ? "handler" : need));
  if (missing.length > 0) {
    throw new CommandError("WRONG_USAGE", `${scenario.name} needs ${missing.join(", ")}`, {
      hint: `Give ${missing.map((each) => `--capability ${each}`).join(" ")} where the target offers that.`,
    });
  }
  const mix = scenario.takesMix === true ? offeredMixOf(settings) : undefined;
  const plan = planOf(scenario, { durationMs, scale, mix, target: { capabilities: offered } });
  const asked = { durationMs, scale, capabilities: offered, ...(mix !== undefined && { mix }) };
  return {
    name: `queueproof-${scenario.name}`,
    folder: `k8s/${scenario.name}`,
    script: scenario.name,
    settings: scenarioSettings(plan, { endpoint: { url }, isPart: true }),
    leftBy: (points) => {
      const left = { points: { ...points, asked }, durationMs: 0 };
      const found = findingOfRunner(scenario, plan, left);
      return { results: found.checks, load: [entryOf(scenario, found)] };
    },
  };
}

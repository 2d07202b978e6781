import type { K6Endpoint, K6ScenarioSettings } from "../../scenarios/k6/settings.ts";
import type { ScenarioPlan } from "../../scenarios/scenario.ts";
import { thresholdsOf } from "./thresholds.ts";

export interface Addresses {
  readonly endpoint: K6Endpoint;
  /** The address of this endpoint in the control protocol. */
  readonly controlUrl?: string | undefined;
  readonly webhookUrl?: string | undefined;
  /** Whether the process is one of several: then nothing can be demanded of its counts. */
  readonly isPart: boolean;
}

/** The settings that the script of a scenario is given. */
export function scenarioSettings(
  plan: ScenarioPlan,
  { endpoint, controlUrl, webhookUrl, isPart }: Addresses,
): K6ScenarioSettings {
  return {
    endpoint,
    ...(controlUrl === undefined ? {} : { controlUrl }),
    ...(webhookUrl === undefined ? {} : { webhookUrl }),
    phases: plan.phases,
    values: plan.values,
    thresholds: thresholdsOf(plan, { isPart }),
  };
}

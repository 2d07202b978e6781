import type { RunSettings } from "../harness/run.ts";
import type { ContractCommandSettings, GivenTarget } from "./settings/contract.ts";

/** The settings in the words of the runner. */
export function runnerSettings(
  settings: ContractCommandSettings,
  { baseUrl, controlUrl, endpointId, apiKey, foreignKey }: GivenTarget,
): RunSettings {
  const { capabilities, webhookUrl, webhookPort, timeoutMs, timeBudgetMs, only, skip, seed } =
    settings;
  return {
    baseUrl,
    dialect: settings.dialect,
    capabilities,
    timeoutMs,
    timeBudgetMs,
    only,
    skip,
    seed,
    ...(controlUrl !== undefined && { controlUrl }),
    ...(endpointId !== undefined && { endpointId }),
    ...(apiKey !== undefined && { apiKey }),
    ...(foreignKey !== undefined && { foreignKey }),
    ...(webhookUrl !== undefined && { webhookUrl }),
    ...(webhookPort !== undefined && { webhookPort }),
  };
}

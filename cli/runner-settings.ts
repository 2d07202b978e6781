import type { RunSettings } from "../harness/run.ts";
import type { ContractCommandSettings } from "./settings/contract.ts";
import type { GivenTarget } from "./settings/given-target.ts";

/** Converts the command's settings to those of the runner. */
export function runnerSettings(
  settings: ContractCommandSettings,
  { baseUrl, controlUrl, endpointId, otherEndpointIds, apiKey, foreignKey }: GivenTarget,
): RunSettings {
  const {
    capabilities,
    webhookUrl,
    webhookPort,
    timeoutMs,
    timeBudgetMs,
    timeLimitMs,
    requestsPerSecond,
    only,
    skip,
    seed,
  } = settings;
  return {
    baseUrl,
    requests: settings.target === undefined ? {} : settings.requests,
    dialect: settings.dialect,
    discovers: settings.discovers,
    capabilities,
    timeoutMs,
    timeBudgetMs,
    only,
    skip,
    seed,
    ...(timeLimitMs !== undefined && { timeLimitMs }),
    ...(requestsPerSecond !== undefined && { requestsPerSecond }),
    ...(settings.jobs !== undefined && { jobs: settings.jobs }),
    failFast: settings.failFast,
    ...(controlUrl !== undefined && { controlUrl }),
    ...(endpointId !== undefined && { endpointId }),
    ...(otherEndpointIds !== undefined && { otherEndpointIds }),
    ...(apiKey !== undefined && { apiKey }),
    ...(foreignKey !== undefined && { foreignKey }),
    ...(webhookUrl !== undefined && { webhookUrl }),
    ...(webhookPort !== undefined && { webhookPort }),
  };
}

import { scenarios } from "../scenarios/scenarios.ts";
import { tiers } from "../openapi/operations.ts";

/** Everything `queueproof load` can be asked for by name; apart, for completion must not wait for the checks. */
export const scenarioNames: readonly string[] = [
  ...scenarios.map(({ name }) => name),
  "probe",
  "rate",
  ...tiers.map(({ operation }) => `rate-${operation}`),
  "burst",
  ...tiers.map(({ operation }) => `burst-${operation}`),
];

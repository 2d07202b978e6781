import { faultScenarios } from "../load/faults/fault-scenario.ts";
import { scenarios } from "../scenarios/scenarios.ts";
import { tiers } from "../openapi/operations.ts";

/** All names that `queueproof load` accepts, in a module of their own so that completion need not load checks. */
export const scenarioNames: readonly string[] = [
  ...scenarios.map(({ name }) => name),
  "mix",
  "capacity",
  "scale-out",
  "cold-start",
  "fairness",
  ...faultScenarios.map(({ name }) => name),
  "probe",
  "rate",
  ...tiers.map(({ operation }) => `rate-${operation}`),
  "burst",
  ...tiers.map(({ operation }) => `burst-${operation}`),
];

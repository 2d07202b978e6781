import type { Check } from "../harness/index.ts";
import { failingChecks } from "./states/failing.ts";
import { historyChecks } from "./states/histories.ts";
import { loadChecks } from "./states/load.ts";
import { raceChecks } from "./states/races.ts";
import { stableChecks } from "./states/stable.ts";
import { workerChecks } from "./states/workers.ts";

/** Checks of the life of a job (docs/specification.md#states-and-transitions). */
export const statesChecks: readonly Check[] = [
  ...historyChecks,
  ...stableChecks,
  ...workerChecks,
  ...failingChecks,
  ...raceChecks,
  ...loadChecks,
];

import { healthEndingChecks } from "./health/endings.ts";
import { healthJobChecks } from "./health/jobs.ts";
import { healthWorkerChecks } from "./health/workers.ts";
import type { Check } from "../harness/index.ts";

/** Checks of health (docs/specification.md#health-response). */
export const healthChecks: readonly Check[] = [
  ...healthJobChecks,
  ...healthEndingChecks,
  ...healthWorkerChecks,
];

import type { Check } from "./kit/index.ts";
import { healthChecks } from "./health.ts";

/** Every check of the suite, area by area. */
export const checks: readonly Check[] = [...healthChecks];

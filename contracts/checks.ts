import { healthChecks } from "./health.ts";
import { modelCheck } from "./model/model-check.ts";
import { historyCheck } from "./history/history-check.ts";
import type { Check } from "./kit/index.ts";
import { webhookChecks } from "./webhook/index.ts";

/** Every check of the suite, area by area. */
export const checks: readonly Check[] = [...healthChecks, modelCheck, ...webhookChecks, historyCheck];

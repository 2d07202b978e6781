import { authChecks } from "./auth.ts";
import { cancelChecks } from "./cancel.ts";
import { endpointChecks } from "./endpoint.ts";
import { healthChecks } from "./health.ts";
import { policyChecks } from "./policy.ts";
import { purgeChecks } from "./purge.ts";
import { retryChecks } from "./retry.ts";
import { s3Checks } from "./s3.ts";
import { streamChecks } from "./stream.ts";
import { runChecks } from "./run.ts";
import { runsyncChecks } from "./runsync.ts";
import { statusChecks } from "./status.ts";
import { modelCheck } from "./model/model-check.ts";
import { historyCheck } from "./history/history-check.ts";
import type { Check } from "../harness/index.ts";
import { submitChecks } from "./submit.ts";
import { statesChecks } from "./states.ts";
import { webhookChecks } from "./webhook.ts";

/** Every check of the suite, area by area. */
export const checks: readonly Check[] = [
  ...authChecks,
  ...endpointChecks,
  ...submitChecks,
  ...policyChecks,
  ...s3Checks,
  ...cancelChecks,
  ...retryChecks,
  ...purgeChecks,
  ...runChecks,
  ...runsyncChecks,
  ...statusChecks,
  ...streamChecks,
  ...healthChecks,
  ...webhookChecks,
  ...statesChecks,
  modelCheck,
  historyCheck,
];

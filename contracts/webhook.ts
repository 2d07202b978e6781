import type { Check } from "../harness/index.ts";
import { attemptChecks } from "./webhook/attempts.ts";
import { bodyChecks } from "./webhook/body.ts";
import { deliveryChecks } from "./webhook/delivery.ts";
import { endingChecks } from "./webhook/endings.ts";
import { failureChecks } from "./webhook/failures.ts";
import { harmlessChecks } from "./webhook/harmless.ts";
import { unfinishedChecks } from "./webhook/unfinished.ts";

/** Checks of webhooks (docs/specification.md#events). */
export const webhookChecks: readonly Check[] = [
  ...deliveryChecks,
  ...bodyChecks,
  ...attemptChecks,
  ...failureChecks,
  ...unfinishedChecks,
  ...harmlessChecks,
  ...endingChecks,
];

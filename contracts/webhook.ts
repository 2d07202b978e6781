import type { Check } from "../kit/index.ts";
import { attemptChecks } from "./attempts.ts";
import { bodyChecks } from "./body.ts";
import { deliveryChecks } from "./delivery.ts";
import { endingChecks } from "./endings.ts";
import { failureChecks } from "./failures.ts";
import { harmlessChecks } from "./harmless.ts";
import { unfinishedChecks } from "./unfinished.ts";

/** Checks of webhooks (SPEC.md, Events). */
export const webhookChecks: readonly Check[] = [
  ...deliveryChecks,
  ...bodyChecks,
  ...attemptChecks,
  ...failureChecks,
  ...unfinishedChecks,
  ...harmlessChecks,
  ...endingChecks,
];

import type { Check } from "../harness/index.ts";
import { acceptedRetryChecks } from "./retry/accepted.ts";
import { anewRetryChecks } from "./retry/anew.ts";
import { refusedRetryChecks } from "./retry/refused.ts";

/** Checks of retry (docs/specification.md#retry). */
export const retryChecks: readonly Check[] = [
  ...acceptedRetryChecks,
  ...refusedRetryChecks,
  ...anewRetryChecks,
];

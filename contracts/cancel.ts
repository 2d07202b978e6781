import { cancelFinishedChecks } from "./cancel/finished.ts";
import { cancelQueuedChecks } from "./cancel/queued.ts";
import { cancelRunningChecks } from "./cancel/running.ts";
import type { Check } from "../harness/index.ts";

/** Checks of cancel (docs/specification.md#cancel-response). */
export const cancelChecks: readonly Check[] = [
  ...cancelQueuedChecks,
  ...cancelRunningChecks,
  ...cancelFinishedChecks,
];

import { runsyncAnswerChecks } from "./runsync/answers.ts";
import { runsyncRetentionChecks } from "./runsync/retention.ts";
import { runsyncWaitChecks } from "./runsync/wait.ts";
import type { Check } from "../harness/index.ts";

/** Checks of runsync (docs/specification.md#runsync). */
export const runsyncChecks: readonly Check[] = [
  ...runsyncAnswerChecks,
  ...runsyncWaitChecks,
  ...runsyncRetentionChecks,
];

import { runAnswerChecks } from "./run/answers.ts";
import { runRetentionChecks } from "./run/retention.ts";
import type { Check } from "../harness/index.ts";

/** Checks of run (docs/specification.md#run). */
export const runChecks: readonly Check[] = [...runAnswerChecks, ...runRetentionChecks];

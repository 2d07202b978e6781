import { runAnswerChecks } from "./run/answers.ts";
import { runRetentionChecks } from "./run/retention.ts";
import type { Check } from "../harness/index.ts";

/** Checks of run (SPEC.md, Endpoints; Limits). */
export const runChecks: readonly Check[] = [...runAnswerChecks, ...runRetentionChecks];

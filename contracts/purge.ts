import type { Check } from "../harness/index.ts";
import { purgeAnswerChecks } from "./purge/answer.ts";
import { purgeEffectChecks } from "./purge/effect.ts";

/** Checks of purge-queue (SPEC.md, Purge response and States and transitions). */
export const purgeChecks: readonly Check[] = [...purgeAnswerChecks, ...purgeEffectChecks];

import type { Check } from "../harness/index.ts";
import { purgeAnswerChecks } from "./purge/answer.ts";
import { purgeEffectChecks } from "./purge/effect.ts";

/** Checks of purge-queue (docs/specification.md#purge-response). */
export const purgeChecks: readonly Check[] = [...purgeAnswerChecks, ...purgeEffectChecks];

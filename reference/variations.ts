import type { Variation } from "./variation.ts";
import { answerVariations } from "./variations/answers.ts";
import { combinationOf, combinedVariations } from "./variations/combined.ts";
import { endingVariations } from "./variations/endings.ts";
import { errorVariations } from "./variations/errors.ts";
import { idVariations } from "./variations/ids.ts";
import { limitVariations } from "./variations/limits.ts";
import { queueVariations } from "./variations/queue.ts";
import { submissionVariations } from "./variations/submission.ts";
import { timeVariations } from "./variations/time.ts";
import { transportVariations } from "./variations/transport.ts";
import { webhookVariations } from "./variations/webhook.ts";

export type { Variation } from "./variation.ts";

export { variationsTogether } from "./variations/combined.ts";

/** Servers that keep the specification in one other way. */
export const singleVariations: readonly Variation[] = [
  ...errorVariations,
  ...endingVariations,
  ...answerVariations,
  ...timeVariations,
  ...queueVariations,
  ...submissionVariations,
  ...webhookVariations,
  ...idVariations,
  ...transportVariations,
  ...limitVariations,
];

/** Servers that keep the specification in other ways: a suite finds no failure on any of them. */
export const variations: readonly Variation[] = [
  ...singleVariations,
  ...combinedVariations(singleVariations),
];

/** A variation, or several of one way each on one server, their names joined by `+`. */
export function variationNamed(name: string): Variation | undefined {
  const known = variations.find((variation) => variation.name === name);
  if (known !== undefined) return known;
  const names = name.split("+");
  const row = singleVariations.filter((variation) => names.includes(variation.name));
  return row.length === names.length ? { ...combinationOf(row), name } : undefined;
}

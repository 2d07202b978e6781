import type { Variation } from "./variation.ts";
import { answerVariations } from "./answers.ts";
import { combinationOf, combinedVariations } from "./combined.ts";
import { endingVariations } from "./endings.ts";
import { errorVariations } from "./errors.ts";
import { idVariations } from "./ids.ts";
import { limitVariations } from "./limits.ts";
import { queueVariations } from "./time.ts";
import { submissionVariations } from "./submission.ts";
import { timeVariations } from "./time.ts";
import { transportVariations } from "./transport.ts";
import { webhookVariations } from "./webhook.ts";

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

import { closest, distance } from "fastest-levenshtein";
import { CommandError } from "./errors.ts";

/** Most that a misspelling may differ: this share of the longer word, but always at least one letter. */
const shareMax = 0.4;

/** Makes the error of a name that is none of `known`; it offers the most similar one. */
export function unknownName(
  what: string,
  name: string,
  { known, hint }: { readonly known: readonly string[]; readonly hint: string },
): CommandError {
  return new CommandError("WRONG_USAGE", unknownText(what, name, known), { hint });
}

/** Returns for example `there is no scenario "soac"; did you mean "soak"?` */
export function unknownText(what: string, name: string, known: readonly string[]): string {
  return `there is no ${what} ${JSON.stringify(name)}${didYouMean(name, known)}`;
}

/**
 * Returns for example `; did you mean "clock"?` with the most similar candidate, ignoring case; empty where none is
 * similar.
 */
export function didYouMean(text: string, candidates: readonly string[]): string {
  const byLowerCase = new Map(candidates.map((name) => [name.toLowerCase(), name]));
  if (byLowerCase.size === 0) return "";
  const word = text.toLowerCase();
  const found = closest(word, [...byLowerCase.keys()]);
  const differingMax = Math.max(1, shareMax * Math.max(word.length, found.length));
  if (distance(word, found) > differingMax) return "";
  return `; did you mean ${JSON.stringify(byLowerCase.get(found))}?`;
}

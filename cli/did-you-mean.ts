import { closest } from "fastest-levenshtein";

/** The candidate that is spelt most like `text`, upper and lower case apart; undefined of none. */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const byLowerCase = new Map(candidates.map((name) => [name.toLowerCase(), name]));
  if (byLowerCase.size === 0) return undefined;
  return byLowerCase.get(closest(text.toLowerCase(), [...byLowerCase.keys()]));
}

/** `did you mean "clock"?`, or nothing when there is nothing to offer. */
export function didYouMean(text: string, candidates: readonly string[]): string {
  const name = nearest(text, candidates);
  return name === undefined ? "" : `; did you mean ${JSON.stringify(name)}?`;
}

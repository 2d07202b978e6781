import { closest, distance } from "fastest-levenshtein";

/** How much of the longer of two words may differ where one is a misspelling of the other; one letter always may. */
const shareMax = 0.4;

/**
 * `; did you mean "clock"?`, with the candidate that is spelt most like `text`, upper and lower case apart; nothing
 * where none is alike.
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

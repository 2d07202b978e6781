import { capabilities, requirements } from "../../openapi/index.ts";

/** Words of sentences, reports and test servers that no requirement happens to hold. */
const others =
  "admin check client demo error example expected fail false found hello invalid letter local none null pass passed " +
  "password private prod public reason right secret sent server test testing token true unauthorized user valid wrong";

let words: ReadonlySet<string> | undefined;

/**
 * Whether a key is a word that reports use: `***` would stand in the place of each, and tell nobody anything. One that
 * is too short to be hidden at all is none.
 */
export function isCommonWord(key: string): boolean {
  words ??= new Set(
    [...Object.values(requirements).map(({ text }) => text), ...capabilities, others]
      .join(" ")
      .toLowerCase()
      .match(/[a-z]{4,}/g),
  );
  return words.has(key.toLowerCase());
}

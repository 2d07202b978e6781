import { capabilities } from "../../openapi/capabilities.ts";
import { requirements } from "../../openapi/requirements.ts";

/** Words of sentences, reports and test servers that are in no requirement. */
const others =
  "admin check client demo error example expected fail false found hello invalid letter local none null pass passed " +
  "password private prod public reason right secret sent server test testing token true unauthorized user valid wrong";

let words: ReadonlySet<string> | undefined;

/**
 * Whether a key is a word that reports use: `***` would replace it everywhere and make reports unreadable. A key that
 * is too short to be hidden at all does not count.
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

import { isJsonObject } from "../../reference/behaviour/submission.ts";
import type { Fault } from "../../reference/faults.ts";
import { fault } from "./builders/compose.ts";
import { handingTexts, handingValues } from "./builders/carried.ts";
import { inUtc, ofMembers } from "./builders/json-values.ts";
import type { Change } from "./builders/member.ts";

/** What YAML reads as a boolean and JSON does not. */
const yamlWords = new Map<unknown, boolean>([
  ["on", true],
  ["off", false],
]);

/** Bugs that take text, keys or objects of an input for something that they only look like. */
export const submitRewrittenFaults: readonly Fault[] = [
  fault("submit/dates-are-rewritten", ["SUBM-04"], {
    describe:
      "A date and time in a string of the input reaches the handler in UTC, with fractions.",
    change: handingTexts(inUtc),
  }),
  fault("submit/words-of-yaml-are-read", ["SUBM-04"], {
    describe: "The strings on and off reach the handler as true and false.",
    change: handingValues((value) => yamlWords.get(value) ?? value),
  }),
  fault("submit/addresses-are-normalised", ["SUBM-04"], {
    describe: "A URL in a string of the input reaches the handler in its normal form.",
    change: handingTexts((text) =>
      /^https?:/i.test(text) && URL.canParse(text) ? new URL(text).href : text,
    ),
  }),
  fault("submit/data-in-text-is-cut-out", ["SUBM-04"], {
    describe: "A string of the input that is a data URL reaches the handler empty.",
    change: handingTexts((text) => (text.startsWith("data:") ? "" : text)),
  }),
  fault("submit/mail-addresses-are-masked", ["SUBM-04"], {
    describe: "A mail address in a string of the input reaches the handler as asterisks.",
    change: handingTexts((text) => text.replaceAll(/\b[a-z]{1,64}@[a-z]{1,64}\.org\b/g, "***")),
  }),
  fault("submit/variables-are-filled-in", ["SUBM-04"], {
    describe:
      "The name of a shell's variable in a string of the input reaches the handler as nothing.",
    change: handingTexts((text) => text.replaceAll(/\$[A-Z]+/g, "")),
  }),
  fault("submit/secrets-are-masked", ["SUBM-04"], {
    describe:
      "A member of the input that is named password, token or api_key reaches the handler masked.",
    change: handingMembers((key, member) => [
      key,
      /^(?:password|token|api_key)$/.test(key) ? "***" : member,
    ]),
  }),
  fault("submit/keys-become-camel-case", ["SUBM-04"], {
    describe: "A key of the input such as snake_case reaches the handler as snakeCase.",
    change: handingMembers((key, member) => [
      key.replaceAll(/(?<=[a-z])_[a-z]/g, (pair) => pair.slice(1).toUpperCase()),
      member,
    ]),
  }),
  fault("submit/control-characters-of-keys-are-dropped", ["SUBM-04"], {
    describe: "Line breaks and NUL are taken out of the keys of an input.",
    change: handingMembers((key, member) => [key.replaceAll(/[\n\0]/g, ""), member]),
  }),
  fault("submit/quotes-of-keys-are-dropped", ["SUBM-04"], {
    describe: "Quotes and backslashes are taken out of the keys of an input.",
    change: handingMembers((key, member) => [key.replaceAll(/["\\]/g, ""), member]),
  }),
  fault("submit/numbered-keys-make-an-array", ["SUBM-04"], {
    describe:
      "An object of the input whose keys are 0, 1 and so on reaches the handler as an array.",
    change: handingValues((value) => {
      if (!isJsonObject(value)) return value;
      const keys = Object.keys(value);
      const isNumbered = keys.length > 1 && keys.every((key, index) => key === String(index));
      return isNumbered ? Object.values(value) : value;
    }),
  }),
];

function handingMembers(
  change: (key: string, member: unknown) => readonly [string, unknown],
): Change {
  return handingValues(ofMembers(change));
}

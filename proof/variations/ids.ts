import { remembering } from "../faults/builders/compose.ts";
import { replace, type Change } from "../faults/builders/member.ts";
import { variation, type Variation } from "./variation.ts";

/** Ids may be any text that is not empty. */
export const idVariations: readonly Variation[] = [
  variation("ids/numbers", {
    describe: "Ids are texts that look like numbers.",
    change: numbered((number) => String(number)),
  }),
  variation("ids/numbers-beyond-precision", {
    describe: "Ids look like numbers that no double can hold, with zeros in front.",
    change: numbered((number) => `00${9_007_199_254_740_993n + BigInt(number)}`),
  }),
  variation("ids/slashes", {
    describe: "Ids hold slashes, a question mark and a hash.",
    change: numbered((number) => `jobs/2026/${number}?part=1#end`),
  }),
  variation("ids/dots-and-slashes", {
    describe: "Ids look like the path of a folder above.",
    change: numbered((number) => `../../run/${number}`),
  }),
  variation("ids/quotes-and-spaces", {
    describe: "Ids hold quotes, a backslash, angle brackets and spaces at both ends.",
    change: numbered((number) => ` it's "job" \\ <${number}> & $HOME \`x\` `),
  }),
  variation("ids/beyond-ascii", {
    describe: "Ids hold characters of several scripts, combined ones and those beyond 16 bits.",
    change: numbered((number) => `tâche-задача-仕事-e\u0301-\u{1F40C}-${number}`),
  }),
  variation("ids/percent-signs", {
    describe: "Ids hold percent signs, also such as look like an escape.",
    change: numbered((number) => `100%-%2F-%zz-%25-${number}`),
  }),
  variation("ids/very-long", {
    describe: "Ids are 2,000 characters long and differ in the last ones alone.",
    change: numbered((number) => String(number).padStart(2_000, "j")),
  }),
  variation("ids/prefixes-of-each-other", {
    describe: "Each id is the beginning of the next one.",
    change: numbered((number) => `j${"0".repeat(number % 1_500)}${number}`),
  }),
  variation("ids/one-character-apart", {
    describe: "Ids differ in the case of their letters alone.",
    change: numbered((number) => casesOf("abcdefghijklmnopqrstuvwxyz", number)),
  }),
  variation("ids/words-of-the-interface", {
    describe: "Ids look like members, states and operations of the interface.",
    change: numbered((number) => `status-IN_QUEUE-health-null-__proto__-${number}`),
  }),
];

/** Makes ids from the number of the job, counted over all endpoints of the server. */
function numbered(idOf: (number: number) => string): Change {
  return remembering({ count: 0 }, (memory) =>
    replace("submission.jobId", () => idOf((memory.count += 1))),
  );
}

/** Turns the letter at position n of `text` into a capital where bit n of `number` is set. */
function casesOf(text: string, number: number): string {
  return text.replaceAll(/[a-z]/g, (letter, at: number) =>
    Math.floor(number / 2 ** at) % 2 === 1 ? letter.toUpperCase() : letter,
  );
}

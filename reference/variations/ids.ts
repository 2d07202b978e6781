import type { BehaviourChange } from "../behaviour.ts";
import type { Variation } from "../variation.ts";

/** Ids may be any text that is not empty. */
export const idVariations: readonly Variation[] = [
  {
    name: "ids/numbers",
    describe: "Ids are texts that look like numbers.",
    change: () => numbered((number) => String(number)),
  },
  {
    name: "ids/numbers-beyond-precision",
    describe: "Ids look like numbers that no double can hold, with zeros in front.",
    change: () => numbered((number) => `00${9_007_199_254_740_993n + BigInt(number)}`),
  },
  {
    name: "ids/slashes",
    describe: "Ids hold slashes, a question mark and a hash.",
    change: () => numbered((number) => `jobs/2026/${number}?part=1#end`),
  },
  {
    name: "ids/dots-and-slashes",
    describe: "Ids look like the path of a folder above.",
    change: () => numbered((number) => `../../run/${number}`),
  },
  {
    name: "ids/quotes-and-spaces",
    describe: "Ids hold quotes, a backslash, angle brackets and spaces at both ends.",
    change: () => numbered((number) => ` it's "job" \\ <${number}> & $HOME \`x\` `),
  },
  {
    name: "ids/beyond-ascii",
    describe: "Ids hold characters of several scripts, combined ones and those beyond 16 bits.",
    change: () => numbered((number) => `tâche-задача-仕事-e\u0301-\u{1F40C}-${number}`),
  },
  {
    name: "ids/percent-signs",
    describe: "Ids hold percent signs, also such as look like an escape.",
    change: () => numbered((number) => `100%-%2F-%zz-%25-${number}`),
  },
  {
    name: "ids/very-long",
    describe: "Ids are 2,000 characters long and differ in the last ones alone.",
    change: () => numbered((number) => String(number).padStart(2_000, "j")),
  },
  {
    name: "ids/prefixes-of-each-other",
    describe: "Each id is the beginning of the next one.",
    change: () => numbered((number) => `j${"0".repeat(number % 1_500)}${number}`),
  },
  {
    name: "ids/one-character-apart",
    describe: "Ids differ in the case of their letters alone.",
    change: () => numbered((number) => casesOf("abcdefghijklmnopqrstuvwxyz", number)),
  },
  {
    name: "ids/words-of-the-interface",
    describe: "Ids look like members, states and operations of the interface.",
    change: () => numbered((number) => `status-IN_QUEUE-health-null-__proto__-${number}`),
  },
];

/** Makes ids from the number of the job, counted over all endpoints of the server. */
function numbered(idOf: (number: number) => string): BehaviourChange {
  let count = 0;
  return {
    submission: {
      jobId: () => {
        count += 1;
        return idOf(count);
      },
    },
  };
}

/** Turns the letter at position n of `text` into a capital where bit n of `number` is set. */
function casesOf(text: string, number: number): string {
  return text.replaceAll(/[a-z]/g, (letter, at: number) =>
    Math.floor(number / 2 ** at) % 2 === 1 ? letter.toUpperCase() : letter,
  );
}

import { parseArgs } from "node:util";

import { fuzzFiles } from "./files/fuzz-files.ts";
import { fuzzServe } from "./serve/fuzz-serve.ts";
import { fuzzTarget } from "./target/fuzz-target.ts";

/** What can be fuzzed, by the word on the command line. */
const subjects = new Map([
  ["serve", fuzzServe],
  ["files", fuzzFiles],
  ["target", fuzzTarget],
]);

// `npm run fuzz -- serve|target|files [READER…] --seconds N --seed S` tries inputs that fast-check makes from the seed until
// the time is over.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
  },
});
const [subject = "", ...names] = positionals;
const fuzz = subjects.get(subject);
if (fuzz === undefined) throw new Error(`give one of ${[...subjects.keys()].join(", ")}`);
const { problems, figures } = await fuzz({
  seconds: Number(values.seconds),
  seed: Number(values.seed),
  names,
});
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`seed ${values.seed}: ${JSON.stringify(figures)}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

import { describe, expect, test } from "vitest";

import { judgeMutants, mutantsPage, mutantsSummary } from "./page.ts";
import type { TriedMutant } from "./page.ts";

const mutant = { file: "reference/a.ts", line: 3, original: "1 <\n  2", replacement: "1 >= 2" };
const killed: TriedMutant = { ...mutant, status: "Killed", reason: "RUNA-01 fail, run/some: text" };
const undecided: TriedMutant = {
  ...mutant,
  status: "Killed",
  reason: "RUNA-01 inconclusive, x: y",
};
const survived: TriedMutant = { ...mutant, line: 9, original: "one  < two", status: "Survived" };
const reason = {
  file: "reference/a.ts",
  original: "one < two",
  replacement: "1 >= 2",
  why: "Nothing is ever equal.",
};

describe("judgeMutants", () => {
  test("counts what was killed, timed out or broke as caught, and the rest as escaped", () => {
    const timedOut: TriedMutant = { ...mutant, status: "Timeout" };
    const uncovered: TriedMutant = { ...mutant, status: "NoCoverage" };
    const judged = judgeMutants([killed, timedOut, survived, uncovered], []);
    expect(judged).toEqual({
      caught: [killed, timedOut],
      accepted: [],
      open: [survived, uncovered],
      stale: [],
    });
    expect(mutantsSummary(judged)).toContain("2 caught (50.0 %");
  });

  test("knows a mutant by its text, whatever its line and white space", () => {
    const judged = judgeMutants([killed, survived], [reason]);
    expect(judged.accepted).toEqual([{ ...survived, why: reason.why }]);
    expect(judged.open).toEqual([]);
    expect(mutantsSummary(judged)).toContain("1 caught (100.0 %");
  });

  test("tells reasons that no mutant needs, of the files that were mutated", () => {
    const elsewhere = { ...reason, file: "reference/b.ts" };
    expect(judgeMutants([killed], [reason, elsewhere]).stale).toEqual([reason]);
  });
});

test("the page lists what escaped with its place, and counts what was not decided", () => {
  const page = mutantsPage(judgeMutants([killed, undecided, survived], []), ["reference/a.ts"]);
  expect(page).toContain("`npm run mutants -- reference/a.ts --out ");
  expect(page).toContain("| `reference/a.ts` | 2 | 0 | 1 |");
  expect(page).toContain("| `reference/a.ts:9` | `one < two` | `1 >= 2` | |");
  expect(page).toContain("could not be decided (1 of them)");
});

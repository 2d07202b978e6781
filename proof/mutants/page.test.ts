import { describe, expect, test } from "vitest";

import { judgeMutants, mutantsPage, mutantsSummary } from "./page.ts";
import type { Reasons, TriedMutant } from "./page.ts";
import type { Reason } from "./reason.ts";

const mutant = {
  file: "reference/a.ts",
  line: 3,
  within: "Gate.enter",
  mutator: "ConditionalExpression",
  original: "1 <\n  2",
  replacement: "1 >= 2",
};
const killed: TriedMutant = { ...mutant, status: "Killed", reason: "RUNA-01 fail, run/some: text" };
const undecided: TriedMutant = {
  ...mutant,
  status: "Killed",
  reason: "RUNA-01 inconclusive, x: y",
};
const survived: TriedMutant = { ...mutant, line: 9, original: "one  < two", status: "Survived" };
const reason: Reason = {
  file: "reference/a.ts",
  original: "one < two",
  replacement: "1 >= 2",
  why: "Nothing is ever equal.",
};
const none: Reasons = { unseen: [], escaped: [] };

describe("judgeMutants", () => {
  test("counts what was killed, timed out or broke as caught, and the rest as escaped", () => {
    const timedOut: TriedMutant = { ...mutant, status: "Timeout" };
    const uncovered: TriedMutant = { ...mutant, status: "NoCoverage" };
    const judged = judgeMutants([killed, timedOut, survived, uncovered], none);
    expect(judged).toEqual({
      caught: [killed, timedOut],
      unseen: [],
      escaped: [
        { ...survived, why: "" },
        { ...uncovered, why: "" },
      ],
      stale: [],
    });
    expect(mutantsSummary(judged)).toContain("2 caught (50.0 %");
  });

  test("knows a mutant by its text, whatever its line and white space", () => {
    const judged = judgeMutants([killed, survived], { ...none, unseen: [reason] });
    expect(judged.unseen).toEqual([{ ...survived, why: reason.why }]);
    expect(judged.escaped).toEqual([]);
    expect(mutantsSummary(judged)).toContain("1 caught (100.0 %");
  });

  test.each([
    { within: "Gate.*" },
    { mutator: "ConditionalExpression" },
    { within: "*.enter", replacement: "1 >= 2" },
  ])("knows alike mutants by %j", (what) => {
    const alike = { file: mutant.file, why: "All of them.", ...what };
    expect(judgeMutants([survived], { ...none, unseen: [alike] }).escaped).toEqual([]);
  });

  test.each([{ within: "Gate" }, { mutator: "StringLiteral" }, { original: "three" }])(
    "takes a mutant for another than that of %j",
    (what) => {
      const other = { file: mutant.file, why: "Not this one.", ...what };
      const { escaped } = judgeMutants([survived], { ...none, unseen: [other] });
      expect(escaped).toEqual([{ ...survived, why: "" }]);
    },
  );

  test("knows of what is never run that one of the same text was run elsewhere", () => {
    const never: Reason = { file: mutant.file, unreached: true, why: "Nothing gets there." };
    const uncovered: TriedMutant = { ...mutant, status: "NoCoverage" };
    const judged = judgeMutants([survived, uncovered], { ...none, unseen: [never] });
    expect(judged.unseen).toEqual([{ ...uncovered, why: never.why }]);
    expect(judged.escaped).toEqual([{ ...survived, why: "" }]);
  });

  test("tells why a mutant escapes that a client could see", () => {
    const { unseen, escaped } = judgeMutants([survived], { ...none, escaped: [reason] });
    expect(unseen).toEqual([]);
    expect(escaped).toEqual([{ ...survived, why: reason.why }]);
  });

  test("tells reasons that no mutant needs, of the files that were mutated", () => {
    const elsewhere = { ...reason, file: "reference/b.ts" };
    const { stale } = judgeMutants([killed], { unseen: [reason, elsewhere], escaped: [] });
    expect(stale).toEqual([reason]);
  });
});

test("the page lists what escaped with its place, and counts what was not decided", () => {
  const page = mutantsPage(judgeMutants([killed, undecided, survived], none), ["reference/a.ts"]);
  expect(page).toContain("`npm run mutants -- reference/a.ts --out ");
  expect(page).toContain("| `reference/a.ts` | 2 | 0 | 1 |");
  expect(page).toContain("| `reference/a.ts:9` | `one < two` | `1 >= 2` | |");
  expect(page).toContain("could be decided (1)");
});

test("the page tells a reason once for all that live by it in a file", () => {
  const twice = [survived, { ...survived, line: 4 }, { ...survived, line: 4 }];
  const page = mutantsPage(judgeMutants(twice, { ...none, unseen: [reason] }), []);
  expect(page).toContain("| `reference/a.ts` | 4, 9 | 3 | Nothing is ever equal. |");
});

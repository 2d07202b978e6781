import { expect, test } from "vitest";

import { isBelowFloor, scoresOf, survivorText } from "./score.ts";
import type { TriedMutant } from "./score.ts";

const mutant = {
  file: "reference/a.ts",
  line: 3,
  within: "Gate.enter",
  mutator: "ConditionalExpression",
  original: "1 <\n  2",
  replacement: "1 >= 2",
};

function tried(statuses: readonly string[]): readonly TriedMutant[] {
  return statuses.map((status) => ({ ...mutant, status }));
}

test("what was killed, timed out or broke is caught, and the rest has survived", () => {
  const all = tried(["Killed", "Timeout", "RuntimeError", "Survived", "NoCoverage"]);
  expect(scoresOf(all)).toEqual({ "reference/a.ts": { caught: 3, survived: 2 } });
});

test.each([
  { caught: 6, survived: 14, isBelow: false },
  { caught: 5, survived: 15, isBelow: true },
  // Too few for a share.
  { caught: 0, survived: 19, isBelow: false },
])("$caught caught and $survived survived: below the floor is $isBelow", (each) => {
  const { caught, survived, isBelow } = each;
  const statuses = [
    ...Array.from({ length: caught }, () => "Killed"),
    ...Array.from({ length: survived }, () => "Survived"),
  ];
  expect(isBelowFloor(tried(statuses))).toBe(isBelow);
});

test("a survivor is told in one line, with the reason where a client could see it", () => {
  const survived = { ...mutant, status: "Survived" };
  expect(survivorText(survived)).toBe(
    "reference/a.ts:3 Gate.enter ConditionalExpression survived: 1 < 2 -> 1 >= 2",
  );
  const known = { ...survived, file: "reference/submission.ts", within: "problemOf" };
  expect(survivorText(known)).toContain("(no requirement is of a policy that is no object)");
});

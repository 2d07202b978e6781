import { describe, expect, test } from "vitest";
import { CommandError } from "../errors.ts";
import { fakeIo } from "../testing/fake-io.ts";
import { faultsSettings } from "./faults.ts";
import type { Flags } from "./sources.ts";

function problemsOf(flags: Flags, environment = {}): readonly string[] {
  try {
    faultsSettings(flags, undefined, fakeIo({ environment }));
  } catch (error) {
    if (error instanceof CommandError && error.code === "WRONG_USAGE") return error.problems;
    throw error;
  }
  return [];
}

describe("the settings of faults", () => {
  test.each([
    [{ realClock: true, variations: true }, "--variations and --real-clock"],
    [{ realClock: true, cleanRuns: true }, "--clean-runs and --real-clock"],
    [{ realClock: true, whole: true }, "--real-clock and --whole"],
    [{ variations: true, cleanRuns: true }, "--variations and --clean-runs"],
    [{ variations: true, whole: true }, "--variations and --whole"],
    [{ cleanRuns: true, whole: true }, "--clean-runs and --whole"],
  ] as const)("%j exclude each other, and both are named", (flags, names) => {
    expect(problemsOf(flags)).toEqual([
      `${names}: expected only one of them, for each says what is run`,
    ]);
  });

  test("one of a variable and one of the command line exclude each other, too", () => {
    const environment = { QUEUEPROOF_VARIATIONS: "true" };
    expect(problemsOf({ realClock: true }, environment)).toHaveLength(1);
  });

  test.each([
    [{}, { mode: "faults", aim: "named" }],
    [{ whole: true }, { mode: "faults", aim: "whole" }],
    [{ variations: true }, { mode: "variations" }],
    [{ cleanRuns: true }, { mode: "clean-runs" }],
    [{ realClock: true }, { mode: "real-clock" }],
  ] as const)("%j alone is %j", (flags, expected) => {
    expect(faultsSettings(flags, undefined, fakeIo())).toMatchObject(expected);
  });
});

import { expect, test } from "vitest";

import { Inconclusive } from "../outcome.ts";
import { expectCompleted } from "./job-state.ts";

/** The states that were wrong of a job with a limit of 5000 ms, seen so many milliseconds after its start. */
function wrongStatesAfter(ms: number, state: string): readonly string[] {
  const wrong: string[] = [];
  const context = {
    expect: {
      equal: (got: unknown, expected: unknown) => {
        if (got !== expected) wrong.push(String(got));
        return got === expected;
      },
    },
    time: { now: () => ({ earliestMs: ms - 2, latestMs: ms }) },
  };
  const since = { earliestMs: 0, latestMs: 0 };
  expectCompleted(context, state, { since, limitMs: 5000, at: "its end" });
  return wrong;
}

test("a job that ends within its limit has to have completed", () => {
  expect(wrongStatesAfter(4999, "TIMED_OUT")).toEqual(["TIMED_OUT"]);
  expect(wrongStatesAfter(9000, "COMPLETED")).toEqual([]);
});

test("a job that may have worked for longer than its limit accuses nobody", () => {
  expect(() => wrongStatesAfter(5000, "TIMED_OUT")).toThrow(Inconclusive);
});

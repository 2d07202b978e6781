import { expect, test } from "vitest";

import { Pace } from "./endpoint/pace.ts";
import { judgePace, paceId } from "./judge-pace.ts";

const failed = { verdict: "fail", reason: "status: expected CANCELLED, got status 503" } as const;

test.each([
  { refusals: 1, isAlone: false, verdict: "inconclusive" },
  { refusals: 1, isAlone: true, verdict: "fail" },
  { refusals: 0, isAlone: false, verdict: "fail" },
] as const)(
  "a failure with $refusals refused requests is $verdict where the check runs alone: $isAlone",
  ({ verdict, ...haste }) => {
    const judged = judgePace(failed, { pacedMs: 0, ...haste }, new Pace());
    expect(judged.verdict).toBe(verdict);
    expect(judged.cause).toBe(undefined);
  },
);

test("a failure of a check that runs alone is undecided where the target takes so many requests a second", () => {
  const haste = { pacedMs: 0, refusals: 1, isAlone: true };
  const judged = judgePace(failed, haste, new Pace(10));
  expect(judged).toMatchObject({ verdict: "inconclusive", cause: paceId });
});

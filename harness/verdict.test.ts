import { expect, test } from "vitest";

import { ControlError } from "../client/control-client.ts";
import { Inconclusive, Stopped, Unsupported } from "./outcome.ts";
import { catchEarlyEnd, verdictOf } from "./verdict.ts";
import type { EndedCheck } from "./verdict.ts";

const difference = { verdict: "fail", reason: "status: expected 200, got 500" } as const;
const seen = { difference, comparisons: 1 };
const agreed = { comparisons: 1 };
const nothing = { comparisons: 0 };
const compared = "the check compared nothing of STAT-01";

test.each<[string, Error | undefined, Omit<EndedCheck, "requirement" | "end">, object]>([
  ["agreed", undefined, agreed, { verdict: "pass" }],
  ["differed", undefined, seen, difference],
  ["was ended by a difference", new Stopped("no record"), seen, difference],
  ["could not know", new Inconclusive("too busy"), agreed, { verdict: "inconclusive" }],
  ["could not know, after a difference", new Inconclusive("too busy"), seen, difference],
  ["lacks something", new Unsupported("no workers"), agreed, { verdict: "not-run" }],
  [
    "lost control",
    new ControlError("advance", "unanswered", "gone"),
    agreed,
    { verdict: "inconclusive" },
  ],
  ["compared nothing", undefined, nothing, { verdict: "inconclusive", harnessError: compared }],
])("a check that %s", async (_, error, found, verdict) => {
  const end = await catchEarlyEnd(async () => (error ? Promise.reject(error) : Promise.resolve()));
  const judgement = verdictOf({ requirement: "STAT-01", end, ...found });
  expect({ harnessError: undefined, ...judgement }).toMatchObject({
    harnessError: undefined,
    ...verdict,
  });
});

test("a check in which the harness breaks is undecided, whatever it saw before", async () => {
  const end = await catchEarlyEnd(async () => Promise.reject(new TypeError("oops")));
  const judgement = verdictOf({ requirement: "STAT-01", end, ...seen });
  expect(judgement.verdict).toBe("inconclusive");
  expect(judgement.reason).toMatch(/^the harness broke: TypeError: oops/);
  expect(judgement.harnessError).toMatch(/^TypeError: oops/);
});

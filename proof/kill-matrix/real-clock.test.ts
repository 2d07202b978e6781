import { expect, test } from "vitest";

import { proofOf } from "./real-clock.ts";
import type { Finding } from "./suite-job.ts";

const fault = { name: "concurrency/cancel-one-short", breaks: ["CONC-05"] } as const;

function found(verdict: Finding["verdict"], reason?: string) {
  const finding = { check: "a check", requirement: "CONC-05", verdict } as const;
  return { findings: [reason === undefined ? finding : { ...finding, reason }] };
}

function named(name: string) {
  return { ...fault, name };
}

test("a fault that passes is missed, and one that is left open is not shown", () => {
  const { problems, evidence } = proofOf(
    [
      { fault: named("caught"), run: found("fail") },
      { fault: named("missed"), run: found("pass") },
      { fault: named("open"), run: found("inconclusive", "too late to tell") },
      { fault: named("hung"), run: { findings: [], failed: "it hung" } },
    ],
    [],
  );
  expect(problems).toEqual(["missed was missed", "hung: it hung"]);
  expect(evidence).toEqual({
    missed: "missed",
    open: "too late to tell",
    hung: "nothing was decided",
  });
});

test("a fault is missed where what could be tried passes, whatever could not be tried", () => {
  const run = { findings: [...found("pass").findings, ...found("not-run", "no clock").findings] };
  expect(proofOf([{ fault, run }], []).problems).toEqual([`${fault.name} was missed`]);
});

test("a permitted limiter that fails is a false alarm", () => {
  const trials = [
    { name: "limits/token-bucket", run: found("fail", "900 of 1000") },
    { name: "limits/sliding-log", run: found("inconclusive") },
  ];
  const { problems, summary } = proofOf([], trials);
  expect(problems).toEqual(["limits/token-bucket: CONC-05 failed, 900 of 1000"]);
  expect(summary).toContain("2 permitted limiters, 1 without a failure");
});

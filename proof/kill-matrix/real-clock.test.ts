import { expect, test } from "vitest";

import { proofOf } from "./real-clock.ts";
import type { Finding } from "./suite-job.ts";

const fault = { name: "concurrency/cancel-one-short", breaks: ["CONC-05"] } as const;

function found(verdict: Finding["verdict"], reason?: string) {
  const finding = { check: "a check", requirement: "CONC-05", verdict } as const;
  return { findings: [reason === undefined ? finding : { ...finding, reason }] };
}

test("a fault that passes is missed, and one that is left open is not shown", () => {
  const { problems, page } = proofOf(
    [
      { fault, run: found("pass") },
      { fault, run: found("inconclusive", "too late to tell") },
      { fault, run: { findings: [], failed: "it hung" } },
    ],
    [],
  );
  expect(problems).toEqual([`${fault.name} was missed`, `${fault.name}: it hung`]);
  expect(page).toContain("| **missed** |");
  expect(page).toContain("| not shown | too late to tell |");
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
  const { problems, summary, page } = proofOf([], trials);
  expect(problems).toEqual(["limits/token-bucket: CONC-05 failed, 900 of 1000"]);
  expect(summary).toContain("2 permitted limiters, 1 without a failure");
  expect(page).toContain("| `limits/sliding-log` | no failure | 0 | CONC-05 |");
});

import { expect, test } from "vitest";

import { contractProofOf } from "./contract-on-real-clock.ts";
import type { Finding } from "./suite-job.ts";

const fault = { name: "cancel/no-effect", breaks: ["CANC-01"] } as const;

function found(...verdicts: readonly Finding["verdict"][]) {
  const findings = verdicts.map((verdict, at): Finding => {
    const check = `check ${at}`;
    return { check, requirement: "CANC-01", verdict, reason: `reason ${at}` };
  });
  return { findings };
}

test("a clean run may leave one check undecided, and fail none", () => {
  const { problems, summary } = contractProofOf(
    [
      { title: "quiet", run: found("pass", "inconclusive") },
      { title: "far away", run: found("inconclusive", "inconclusive") },
      { title: "busy", run: found("fail") },
    ],
    [],
  );
  expect(problems).toEqual([
    "far away: undecided check 0, check 1",
    "busy: check 0 failed, reason 0",
  ]);
  expect(summary).toContain("3 clean runs on a real clock, 1 without a false alarm");
});

test("a fault that passes or is left open is not caught, with the reason", () => {
  const other = { ...fault, name: "cancel/another" };
  const { problems, summary, evidence } = contractProofOf(
    [],
    [
      { fault: { ...fault, name: "cancel/caught" }, run: found("fail") },
      { fault, run: found("pass") },
      { fault: other, run: found("pass", "inconclusive") },
    ],
  );
  expect(problems).toEqual([]);
  expect(summary).toContain("3 faults, 1 caught under their names");
  expect(evidence).toEqual({
    [fault.name]: "every check passed: a real clock does not show it",
    [other.name]: "reason 1",
  });
});

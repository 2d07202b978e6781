import { describe, expect, test } from "vitest";
import {
  contractCounts,
  targetIsNamed,
  unitCounts,
  withoutSettings,
  worst,
} from "./test-counts.ts";

describe("counts", () => {
  test("come from the reports of both kinds", () => {
    expect(unitCounts({ numPassedTests: 5, numFailedTests: 2 }, 1)).toEqual({
      passed: 5,
      failed: 2,
    });
    const report = { summary: { checks: { pass: 3, fail: 1, inconclusive: 1, "not-run": 9 } } };
    expect(contractCounts(report, 1)).toEqual({ passed: 3, failed: 1 });
  });

  test("of a stage that broke without a report are one failure, never none", () => {
    expect(unitCounts(undefined, 1)).toEqual({ passed: 0, failed: 1 });
    expect(contractCounts({ summary: {} }, 3)).toEqual({ passed: 0, failed: 1 });
  });
});

test.each([
  { environment: {}, named: false },
  { environment: { QUEUEPROOF_API_KEY: "k" }, named: false },
  { environment: { QUEUEPROOF_BASE_URL: "http://a.test" }, named: true },
  { environment: { QUEUEPROOF_CONTROL: "http://a.test/__control" }, named: true },
  { environment: { QUEUEPROOF_BASE_URL: "" }, named: true },
])("a target named by $environment: $named", ({ environment, named }) => {
  expect(targetIsNamed(environment)).toBe(named);
});

test("the tests' environment has no setting", () => {
  expect(withoutSettings({ PATH: "/bin", QUEUEPROOF_SEED: "1" })).toEqual({ PATH: "/bin" });
});

test("the worst exit code wins", () => {
  expect(worst([0, 0])).toBe(0);
  expect(worst([0, 3])).toBe(3);
  expect(worst([1, 0])).toBe(1);
});

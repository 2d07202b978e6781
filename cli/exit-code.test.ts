import { describe, expect, test } from "vitest";
import { outcomeOf } from "./exit-code.ts";
import type { RunDemands } from "./exit-code.ts";
import { reportOf } from "../test/cli/report.ts";

const nothing: RunDemands = { baseline: new Map(), required: [], profiles: [], broken: [] };
const expecting = (...ids: readonly string[]): RunDemands => ({
  ...nothing,
  baseline: new Map(ids.map((id) => [id, "known"])),
});

const storage = ["S3CF-01", "S3CF-02", "S3CF-03"] as const;
const [first, second, third] = storage;
const asked: RunDemands = { ...nothing, profiles: ["storage"] };

const targetGone = { request: "GET /x", atMs: 1, reason: "connection refused" };

describe("the exit code", () => {
  test.each([
    { of: "all passed", report: reportOf({ "RUNA-01": "pass" }), demands: nothing, code: 0 },
    {
      of: "one failed",
      report: reportOf({ "RUNA-01": "pass", "RUNA-02": "fail" }),
      demands: nothing,
      code: 1,
    },
    { of: "nothing decided", report: reportOf({}), demands: nothing, code: 3 },
    {
      of: "everything inconclusive",
      report: reportOf({ "RUNA-01": "inconclusive" }),
      demands: nothing,
      code: 3,
    },
    {
      of: "one inconclusive",
      report: reportOf({ "RUNA-01": "pass", "RUNA-02": "inconclusive" }),
      demands: nothing,
      code: 4,
    },
    {
      of: "one inconclusive that may be",
      report: reportOf({ "RUNA-01": "pass", "RUNA-02": "inconclusive" }, [], {
        allowed: ["RUNA-02"],
      }),
      demands: nothing,
      code: 0,
    },
    {
      of: "one inconclusive that may be and is required",
      report: reportOf({ "RUNA-01": "pass", "RUNA-02": "inconclusive" }, [], {
        allowed: ["RUNA-02"],
      }),
      demands: { ...nothing, required: ["RUNA-02"] },
      code: 4,
    },
    {
      of: "one inconclusive and another failed",
      report: reportOf({ "RUNA-01": "fail", "RUNA-02": "inconclusive" }),
      demands: nothing,
      code: 1,
    },
    {
      of: "an expected failure that is inconclusive",
      report: reportOf({ "RUNA-01": "pass", "RUNA-02": "inconclusive" }),
      demands: expecting("RUNA-02"),
      code: 0,
    },
    {
      of: "an expected failure and another one inconclusive",
      report: reportOf({ "RUNA-01": "fail", "RUNA-02": "inconclusive" }),
      demands: expecting("RUNA-01"),
      code: 4,
    },
    {
      of: "a target that is gone",
      report: reportOf({ "RUNA-01": "pass" }, [], { targetGone }),
      demands: nothing,
      code: 3,
    },
    {
      of: "a target that is gone after an expected failure",
      report: reportOf({ "RUNA-01": "fail" }, [], { targetGone }),
      demands: expecting("RUNA-01"),
      code: 3,
    },
    {
      of: "a target that is gone after a failure",
      report: reportOf({ "RUNA-01": "fail" }, [], { targetGone }),
      demands: nothing,
      code: 1,
    },
    {
      of: "a required one inconclusive",
      report: reportOf({ "RUNA-01": "pass", "RUNA-02": "inconclusive" }),
      demands: { ...nothing, required: ["RUNA-02"] },
      code: 4,
    },
    {
      of: "a required one not run",
      report: reportOf({ "RUNA-01": "pass" }),
      demands: { ...nothing, required: ["RUNA-02"] },
      code: 4,
    },
    {
      of: "a failure and a required one not run",
      report: reportOf({ "RUNA-01": "fail" }),
      demands: { ...nothing, required: ["RUNA-02"] },
      code: 1,
    },
    {
      of: "a failure that is expected",
      report: reportOf({ "RUNA-01": "pass", "RUNA-02": "fail" }),
      demands: expecting("RUNA-02"),
      code: 0,
    },
    {
      of: "an expected failure that passes",
      report: reportOf({ "RUNA-01": "pass" }),
      demands: expecting("RUNA-01"),
      code: 1,
    },
    {
      of: "an expected failure that is not run",
      report: reportOf({ "RUNA-01": "pass" }),
      demands: expecting("RUNA-02"),
      code: 0,
    },
    {
      of: "an expected failure no requirement has",
      report: reportOf({ "RUNA-01": "pass" }),
      demands: expecting("RUNA-99"),
      code: 1,
    },
    {
      of: "a failure in a run in which the harness broke",
      report: reportOf({ "RUNA-01": "fail" }),
      demands: { ...nothing, broken: ["run/some-check"] },
      code: 3,
    },
    {
      of: "a profile that conforms, beside others that were not tried",
      report: reportOf({ [first]: "pass", [second]: "pass", [third]: "pass" }),
      demands: asked,
      code: 0,
    },
    {
      of: "a broken profile of which not all was decided",
      report: reportOf({ [first]: "pass", [second]: "fail" }),
      demands: asked,
      code: 1,
    },
    {
      of: "a profile of which one was not tried",
      report: reportOf({ [first]: "pass", [second]: "pass" }),
      demands: asked,
      code: 4,
    },
    {
      of: "the same where no profile is asked for",
      report: reportOf({ [first]: "pass", [second]: "pass" }),
      demands: nothing,
      code: 0,
    },
    {
      of: "a profile whose only undecided one may be",
      report: reportOf({ [first]: "pass", [second]: "pass", [third]: "inconclusive" }, [], {
        allowed: [third],
      }),
      demands: asked,
      code: 0,
    },
    {
      of: "a profile whose failure is expected",
      report: reportOf({ [first]: "pass", [second]: "pass", [third]: "fail" }),
      demands: { ...expecting(third), profiles: ["storage"] },
      code: 0,
    },
    {
      of: "two profiles of which one was not tried at all",
      report: reportOf({ [first]: "pass", [second]: "pass", [third]: "pass" }),
      demands: { ...nothing, profiles: ["storage", "streaming"] },
      code: 4,
    },
    {
      of: "a profile of which nothing was decided",
      report: reportOf({}),
      demands: asked,
      code: 3,
    },
  ])("of $of is $code", ({ report, demands, code }) => {
    expect(outcomeOf(report, demands).exitCode).toBe(code);
  });
});

test("what makes the exit code 4 is named, with what may be done about it", () => {
  const report = reportOf(
    { "RUNA-01": "pass", "RUNA-02": "inconclusive", "RUNA-03": "inconclusive" },
    [],
    { allowed: ["RUNA-03"] },
  );
  expect(outcomeOf(report, nothing).remarks).toEqual([
    "Exit code 4: RUNA-02 was tried and not decided; --allow-inconclusive names requirements that may be.",
  ]);
});

test("what the baseline and --require change is said", () => {
  const report = reportOf({ "RUNA-01": "pass", "RUNA-02": "fail", "RUNA-03": "inconclusive" });
  const demands = { ...expecting("RUNA-01", "RUNA-02", "RUNA-99"), required: ["RUNA-03"] };
  expect(outcomeOf(report, demands).remarks).toEqual([
    "Expected failure RUNA-02: known",
    "RUNA-01 passes, but the baseline expects it to fail: take it out.",
    "RUNA-99 stands in the baseline, but no requirement or cause of the report has this id.",
    "RUNA-03 had to be decided and is inconclusive: inconclusive for a reason",
  ]);
});

test("a profile that is not decided is told with what it lacks", () => {
  const report = reportOf({ [first]: "pass" });
  expect(outcomeOf(report, asked).remarks).toEqual([
    "Exit code 4: the profile storage is not decided without S3CF-02, S3CF-03.",
  ]);
});

import { describe, expect, test } from "vitest";
import {
  decidedByReason,
  easiestReason,
  lackingReason,
  notRunGroups,
  notSelectedReason,
  nothingObservedReason,
  tooLongReason,
} from "./not-run.ts";
import type { NotTried } from "./not-run.ts";

function entries(...reasons: readonly string[]): readonly NotTried[] {
  return reasons.map((reason, at) => ({ id: `AREA-${at}`, area: "area", reason }));
}

function textsOf(reasons: readonly string[], hasControl = false): readonly string[] {
  return notRunGroups(entries(...reasons), hasControl).map(({ text }) => text);
}

describe("what was not tried", () => {
  test.each([
    {
      reasons: [lackingReason(["handler"]), lackingReason(["handler"])],
      text: "2 need `--capability handler`, if your workers run it (docs/test-my-server.md#the-conformance-handler)",
    },
    { reasons: [lackingReason(["foreignKey"])], text: "1 needs `--foreign-key`" },
    {
      reasons: [lackingReason(["crash", "load"])],
      text: "1 needs `--capability crash` and `--capability load`, if a job may kill a worker and if its owner allows load",
    },
    {
      reasons: [lackingReason(["slow", "quick"]), lackingReason(["quick", "slow"])],
      text: "2 need a `quick` and a `slow` job: `--jobs FILE` (docs/test-my-server.md#jobs-of-your-own)",
    },
    {
      reasons: [["slow"], ["quick"], ["quick", "slow"], ["quick"]].map(lackingReason),
      text: "4 need jobs of your workers: `--jobs FILE` (docs/test-my-server.md#jobs-of-your-own), 2 of them a `quick` one, 1 a `slow` one, 1 a `quick` and a `slow` one",
    },
    {
      reasons: [lackingReason(["quick", "clock"]), lackingReason(["slow", "workers"])],
      text: "2 need the control protocol: `--control URL` (docs/control-protocol.md)",
    },
    {
      reasons: [lackingReason(["handler", "workers"]), lackingReason(["clock"])],
      text: "2 need the control protocol: `--control URL` (docs/control-protocol.md)",
    },
    {
      reasons: [tooLongReason(600_000, 120_000), tooLongReason(3_600_000, 120_000)],
      text: "2 take longer than 2 min: `--time-budget full`",
    },
    {
      reasons: [decidedByReason(["load", "run"])],
      text: "1 is decided by `queueproof load` or `queueproof run`",
    },
    {
      reasons: [notSelectedReason, notSelectedReason],
      text: "2 requirements in area: not selected",
    },
  ])("reads $text", ({ reasons, text }) => {
    expect(textsOf(reasons)).toEqual([text]);
  });

  test("names what a control protocol lacks that is there", () => {
    const lacks = [lackingReason(["handler", "workers", "clock"])];
    expect(textsOf(lacks, true)).toEqual([
      "1 needs workers and clock of the control protocol, which the target does not offer",
    ]);
  });

  test("begins with what brings most, and has every id once", () => {
    const all = entries(lackingReason(["foreignKey"]), notSelectedReason, notSelectedReason);
    expect(notRunGroups(all, false).map(({ ids }) => ids)).toEqual([
      ["AREA-1", "AREA-2"],
      ["AREA-0"],
    ]);
  });

  test("shows of several reasons what is the least to change", () => {
    const handler = lackingReason(["handler"]);
    const control = lackingReason(["clock"]);
    expect(easiestReason([nothingObservedReason, control, handler])).toBe(handler);
    expect(easiestReason([handler, tooLongReason(9_000, 1_000)])).toBe(tooLongReason(9_000, 1_000));
  });
});

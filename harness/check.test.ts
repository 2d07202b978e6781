import { describe, expect, test } from "vitest";

import { isLong } from "./check.ts";
import type { CheckHeader } from "./check.ts";

const header: CheckHeader = { name: "a/check", title: "a check", covers: ["HLTH-01"], needs: [] };

describe("a check counts as long", () => {
  test.each([
    { that: "takes 4 s", more: { realTimeMs: 4000 }, slowMs: undefined, long: false },
    { that: "takes 5 s", more: { realTimeMs: 5000 }, slowMs: undefined, long: true },
    { that: "needs a slow job of 4 s", more: { needs: ["slow"] }, slowMs: 4000, long: false },
    { that: "needs a slow job of 9 s", more: { needs: ["slow"] }, slowMs: 9000, long: true },
    { that: "needs no slow job, where one takes 9 s", more: {}, slowMs: 9000, long: false },
  ] as const)("where it $that: $long", ({ more, slowMs, long }) => {
    const slow = slowMs === undefined ? undefined : { atLeastMs: 1000, atMostMs: slowMs };
    expect(isLong({ ...header, realTimeMs: 0, ...more }, slow)).toBe(long);
  });
});

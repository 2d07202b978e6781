import { expect, test } from "vitest";

import { isSubmission, tiers, windowMs } from "../../openapi/operations.ts";
import { neededOf } from "../sent-load.ts";
import { rateCost } from "./rate-plan.ts";
import { k6RateMs, timedPhases } from "./rate-plan.ts";

const onShared = { endpoints: "shared", rates: "confirming" } as const;
const all = { endpoints: "shared", rates: "all" } as const;

test("the rates that confirm the probe begin at once, above each limit", () => {
  const timed = timedPhases(tiers, onShared);
  expect(timed.map(({ phase }) => phase.level)).toEqual(timed.map(() => "above"));
  expect(k6RateMs(tiers, onShared)).toBe(2 * windowMs);
});

test("on new endpoints a single rate above each limit confirms the probe, in two windows", () => {
  const timed = timedPhases(tiers, { endpoints: "fresh", rates: "confirming" });
  expect(timed.map(({ phase }) => phase.level)).toEqual(tiers.map(() => "above"));
  expect(k6RateMs(tiers, { endpoints: "fresh", rates: "confirming" })).toBe(2 * windowMs);
});

test("on an endpoint that is not new no jobs of run and runsync confirm the probe", () => {
  for (const tier of tiers.filter(({ operation }) => isSubmission(operation))) {
    expect(timedPhases([tier], onShared)).toEqual([]);
    expect(neededOf(rateCost(tier, onShared))).toEqual({ requests: 0, jobs: 0 });
    expect(neededOf(rateCost(tier, all)).jobs).toBeGreaterThan(7 * tier.limit);
  }
});

test("side by side they take half the time", () => {
  expect(k6RateMs(tiers, onShared)).toBeLessThanOrEqual(k6RateMs(tiers, all) / 2);
});

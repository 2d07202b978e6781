import { expect, test } from "vitest";

import { tiers, windowMs } from "../../openapi/operations.ts";
import { neededOf } from "../sent-load.ts";
import { rateCost } from "./rate-plan.ts";
import { k6RateMs, timedPhases } from "./rate-plan.ts";

const onShared = { endpoints: "shared", rates: "confirming" } as const;
const all = { endpoints: "shared", rates: "all" } as const;

test("the rates that confirm the probe begin at once, but run rests from the jobs that it made", () => {
  const timed = timedPhases(tiers, onShared);
  expect(timed).toHaveLength(tiers.length);
  const later = timed.filter(({ startMs }) => startMs > 0);
  expect(later.map(({ phase }) => phase.tier.operation).toSorted()).toEqual(["run", "runsync"]);
  const run = timed.find(({ phase }) => phase.tier.operation === "run");
  expect(run?.startMs).toBeGreaterThan(2 * windowMs);
});

test("on new endpoints a single rate above each limit confirms the probe, in two windows", () => {
  const timed = timedPhases(tiers, { endpoints: "fresh", rates: "confirming" });
  expect(timed.map(({ phase }) => phase.level)).toEqual(tiers.map(() => "above"));
  expect(k6RateMs(tiers, { endpoints: "fresh", rates: "confirming" })).toBe(2 * windowMs);
});

test("no purge comes while runsync waits for its jobs", () => {
  const timed = timedPhases(tiers, onShared);
  const spansOf = (name: string): readonly (readonly [number, number])[] =>
    timed
      .filter(({ phase }) => phase.tier.operation === name)
      .map(({ phase, startMs }) => [startMs, startMs + phase.durationMs]);
  for (const [from, to] of spansOf("purge-queue")) {
    for (const [start, end] of spansOf("runsync")) expect(start >= to || end <= from).toBe(true);
  }
});

test("operations whose requests are jobs cost one window of their limit", () => {
  for (const tier of tiers.filter(
    ({ operation }) => operation === "run" || operation === "runsync",
  )) {
    expect(neededOf(rateCost(tier, onShared)).jobs).toBe(tier.limit + 2);
    expect(neededOf(rateCost(tier, all)).jobs).toBeGreaterThan(7 * tier.limit);
  }
});

test("side by side they take half the time", () => {
  expect(k6RateMs(tiers, onShared)).toBeLessThanOrEqual(k6RateMs(tiers, all) / 2);
});

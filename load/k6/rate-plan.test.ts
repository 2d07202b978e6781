import { expect, test } from "vitest";

import { tiers, windowMs } from "../../openapi/operations.ts";
import { neededOf } from "../sent-load.ts";
import { rateCost } from "./rate-plan.ts";
import { k6RateMs, timedPhases } from "./rate-plan.ts";

test("few phases on a shared endpoint leave each operation alone for two windows between two of its own", () => {
  const ofRun = timedPhases(
    tiers.filter(({ operation }) => operation === "run"),
    "shared-minimal",
  );
  expect(ofRun[0]?.startMs).toBeGreaterThan(2 * windowMs);
  for (const tier of tiers) {
    const own = timedPhases([tier], "shared-minimal");
    for (const [at, { startMs }] of own.entries()) {
      const before = own[at - 1];
      if (before === undefined) continue;
      expect(startMs - before.startMs - before.phase.durationMs).toBeGreaterThan(2 * windowMs);
    }
  }
});

test("no purge comes while runsync waits for its jobs", () => {
  const timed = timedPhases(tiers, "shared-minimal");
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
    expect(neededOf(rateCost(tier, "shared-minimal")).jobs).toBe(tier.limit + 2);
    expect(neededOf(rateCost(tier, "shared")).jobs).toBeGreaterThan(7 * tier.limit);
  }
});

test("side by side they take half the time", () => {
  expect(k6RateMs(tiers, "shared-minimal")).toBeLessThanOrEqual(k6RateMs(tiers, "shared") / 2);
});

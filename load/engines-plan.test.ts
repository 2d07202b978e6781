import { expect, test } from "vitest";

import { tiers } from "../openapi/operations.ts";
import type { Capability } from "../openapi/capabilities.ts";
import { burstsInTurn, enginesCost, enginesPeak, sentByEngines } from "./engines-plan.ts";
import { usedBy } from "./k6/rate-plan.ts";
import type { EnginesPlan } from "./engines-plan.ts";
import { neededOf } from "./sent-load.ts";

const every = new Set(tiers.map(({ rate }) => rate));
const all: EnginesPlan = {
  bursts: every,
  rates: every,
  rateMode: { endpoints: "shared", rates: "confirming" },
};

/** What engines send to the one endpoint of a server with these capabilities. */
function sentTo(capabilities: readonly Capability[], timeBudgetMs = 600_000): EnginesPlan {
  const on = {
    makesEndpoints: false,
    offers: (capability: Capability) => capabilities.includes(capability),
  };
  return sentByEngines(all, on, timeBudgetMs);
}

test("no burst to run or runsync comes before those that need jobs from run", () => {
  const order = burstsInTurn(tiers).map(({ operation }) => operation);
  const lastUser = Math.max(
    ...tiers
      .filter((tier) => usedBy(tier).length > 0)
      .map(({ operation }) => order.indexOf(operation)),
  );
  expect(order.indexOf("run")).toBeGreaterThan(lastUser);
  expect(order.indexOf("runsync")).toBeGreaterThan(order.indexOf("purge-queue"));
  expect(order[0]).toBe("cancel");
});

test("engines leave out what a target does not offer, and k6 what takes longer than a check may", () => {
  const plain = sentTo([]);
  expect(plain.rates.size).toBe(tiers.length - 3);
  expect(Object.keys(enginesCost(plain).requests)).not.toContain("openai");
  expect(sentTo([], 30_000).rates.size).toBe(0);
  expect(sentTo([], 30_000).bursts).toEqual(plain.bursts);
});

test("on one endpoint k6 and autocannon cost little more than a window of jobs, and three minutes", () => {
  const plain = sentTo([]);
  const limits = tiers.filter(({ operation }) => operation === "run" || operation === "runsync");
  const limit = limits.reduce((sum, tier) => sum + tier.limit, 0);
  expect(neededOf(enginesCost(plain)).jobs).toBeLessThan(1.5 * limit);
  expect(enginesPeak(plain).durationMs).toBeLessThan(180_000);
});

import { expect, test } from "vitest";

import { tiers } from "../../openapi/operations.ts";
import type { Tier } from "../../openapi/operations.ts";
import { k6RateMs, rateTurnsMs, rateTurnsOf } from "./rate-plan.ts";

const all = { endpoints: "shared", rates: "all" } as const;

function names(turns: readonly (readonly Tier[])[]): readonly (readonly string[])[] {
  return turns.map((turn) => turn.map(({ operation }) => operation));
}

function some(...operations: readonly string[]): readonly Tier[] {
  return tiers.filter(({ operation }) => operations.includes(operation));
}

test("runsync goes first where jobs to cancel would keep the workers", () => {
  const turns = names(rateTurnsOf(some("run", "runsync", "cancel"), all));
  expect(turns[0]).toEqual(["runsync"]);
  expect(turns[1]?.toSorted()).toEqual(["cancel", "run"]);
});

test("what confirms the probe and needs no jobs goes before the jobs to cancel are there", () => {
  const confirming = { endpoints: "shared", rates: "confirming" } as const;
  const turns = names(rateTurnsOf(some("status", "cancel", "purge-queue", "requests"), confirming));
  expect(turns.map((turn) => turn.toSorted())).toEqual([
    ["purge-queue", "requests"],
    ["cancel", "status"],
  ]);
});

test("all go together on endpoints of their own, and where nothing is cancelled", () => {
  expect(rateTurnsOf(tiers, { endpoints: "fresh", rates: "all" })).toEqual([tiers]);
  expect(names(rateTurnsOf(some("runsync", "run"), all))).toHaveLength(1);
  expect(names(rateTurnsOf(some("cancel"), all))).toEqual([["cancel"]]);
});

test("turns take their times together", () => {
  const turns = rateTurnsOf(some("runsync", "cancel"), all);
  const [first = [], second = []] = turns;
  expect(rateTurnsMs(turns, all)).toBe(k6RateMs(first, all) + k6RateMs(second, all));
});

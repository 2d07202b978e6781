import { expect, test } from "vitest";

import { tiers } from "../../openapi/index.ts";
import type { Tier } from "../../openapi/index.ts";
import { k6RateMs } from "./rate-plan.ts";
import { turnsMs, turnsOf } from "./turns.ts";

function names(turns: readonly (readonly Tier[])[]): readonly (readonly string[])[] {
  return turns.map((turn) => turn.map(({ operation }) => operation));
}

function some(...operations: readonly string[]): readonly Tier[] {
  return tiers.filter(({ operation }) => operations.includes(operation));
}

test("runsync goes first where jobs to cancel would keep the workers", () => {
  const turns = names(turnsOf(some("run", "runsync", "cancel"), "shared"));
  expect(turns[0]).toEqual(["runsync"]);
  expect(turns[1]?.toSorted()).toEqual(["cancel", "run"]);
});

test("with few phases purge-queue goes before the jobs to cancel are there", () => {
  const turns = names(turnsOf(some("run", "runsync", "cancel", "purge-queue"), "frugal"));
  expect(turns.map((turn) => turn.toSorted())).toEqual([
    ["purge-queue", "runsync"],
    ["cancel", "run"],
  ]);
});

test("all go together on endpoints of their own, and where nothing is cancelled", () => {
  expect(turnsOf(tiers, "fresh")).toEqual([tiers]);
  expect(names(turnsOf(some("runsync", "run"), "shared"))).toHaveLength(1);
  expect(names(turnsOf(some("cancel"), "shared"))).toEqual([["cancel"]]);
});

test("turns take their times together", () => {
  const turns = turnsOf(some("runsync", "cancel"), "shared");
  const [first = [], second = []] = turns;
  expect(turnsMs(turns, "shared")).toBe(k6RateMs(first, "shared") + k6RateMs(second, "shared"));
});

import { expect, test } from "vitest";

import { tiers } from "../../openapi/index.ts";
import type { Tier } from "../../openapi/index.ts";
import { k6RateMs } from "./rate.ts";
import { turnsMs, turnsOf } from "./turns.ts";

function names(turns: readonly (readonly Tier[])[]): readonly (readonly string[])[] {
  return turns.map((turn) => turn.map(({ operation }) => operation));
}

function some(...operations: readonly string[]): readonly Tier[] {
  return tiers.filter(({ operation }) => operations.includes(operation));
}

test("runsync goes first where jobs to cancel would keep the workers", () => {
  const turns = names(turnsOf(some("run", "runsync", "cancel"), false));
  expect(turns[0]).toEqual(["runsync"]);
  expect(turns[1]?.toSorted()).toEqual(["cancel", "run"]);
});

test("all go together on endpoints of their own, and where nothing is cancelled", () => {
  expect(turnsOf(tiers, true)).toEqual([tiers]);
  expect(names(turnsOf(some("runsync", "run"), false))).toHaveLength(1);
  expect(names(turnsOf(some("cancel"), false))).toEqual([["cancel"]]);
});

test("turns take their times together", () => {
  const turns = turnsOf(some("runsync", "cancel"), false);
  const [first = [], second = []] = turns;
  expect(turnsMs(turns, false)).toBe(k6RateMs(first, false) + k6RateMs(second, false));
});

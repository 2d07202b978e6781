import { expect, test } from "vitest";

import { tiers } from "../../openapi/operations.ts";
import type { Tier } from "../../openapi/operations.ts";
import { k6RateMs } from "./rate-plan.ts";
import { rateTurnsMs, rateTurnsOf } from "./rate-turns.ts";

function names(turns: readonly (readonly Tier[])[]): readonly (readonly string[])[] {
  return turns.map((turn) => turn.map(({ operation }) => operation));
}

function some(...operations: readonly string[]): readonly Tier[] {
  return tiers.filter(({ operation }) => operations.includes(operation));
}

test("runsync goes first where jobs to cancel would keep the workers", () => {
  const turns = names(rateTurnsOf(some("run", "runsync", "cancel"), "shared"));
  expect(turns[0]).toEqual(["runsync"]);
  expect(turns[1]?.toSorted()).toEqual(["cancel", "run"]);
});

test("with few phases purge-queue goes before the jobs to cancel are there", () => {
  const turns = names(
    rateTurnsOf(some("run", "runsync", "cancel", "purge-queue"), "shared-minimal"),
  );
  expect(turns.map((turn) => turn.toSorted())).toEqual([
    ["purge-queue", "runsync"],
    ["cancel", "run"],
  ]);
});

test("all go together on endpoints of their own, and where nothing is cancelled", () => {
  expect(rateTurnsOf(tiers, "fresh")).toEqual([tiers]);
  expect(names(rateTurnsOf(some("runsync", "run"), "shared"))).toHaveLength(1);
  expect(names(rateTurnsOf(some("cancel"), "shared"))).toEqual([["cancel"]]);
});

test("turns take their times together", () => {
  const turns = rateTurnsOf(some("runsync", "cancel"), "shared");
  const [first = [], second = []] = turns;
  expect(rateTurnsMs(turns, "shared")).toBe(k6RateMs(first, "shared") + k6RateMs(second, "shared"));
});

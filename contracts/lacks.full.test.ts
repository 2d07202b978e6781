import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { Lackable } from "../harness/dialects/schema.ts";
import { operations, isOptionalOperation } from "../openapi/operations.ts";
import { startReference } from "../reference/start-reference.ts";
import type { Reference } from "../reference/start-reference.ts";
import { runContract } from "./run-contract.ts";

/** Whatever a dialect says that a target lacks, a rest that conforms stays green. */

const names: readonly Lackable[] = [
  ...operations.map(({ name }) => name).filter((name) => !isOptionalOperation(name)),
  "webhook",
];
/** Nine names in lines of three, so that any two of them stand in exactly one. */
const lines = [
  [0, 1, 2],
  [3, 4, 5],
  [6, 7, 8],
  [0, 3, 6],
  [1, 4, 7],
  [2, 5, 8],
  [0, 4, 8],
  [1, 5, 6],
  [2, 3, 7],
  [0, 5, 7],
  [1, 3, 8],
  [2, 4, 6],
];
const together = lines.map((line) => names.filter((_, at) => line.includes(at)));

const lacking: readonly (readonly Lackable[])[] = [...names.map((name) => [name]), ...together];

let reference: Reference;
beforeAll(async () => {
  reference = await startReference();
});
afterAll(async () => reference.stop());

async function verdictsWithout(lacks: readonly Lackable[]): Promise<Map<string, string[]>> {
  const { baseUrl, controlUrl = "" } = reference;
  const dialect = {
    name: "less",
    description: "It lacks a part.",
    deviations: { lacks: [...lacks] },
  };
  const settings = { capabilities: [], seed: 1, timeBudgetMs: 120_000 };
  const { results } = await runContract({ ...settings, baseUrl, controlUrl, dialect });
  const named = new Map<string, string[]>();
  for (const { name, verdict, reason = "" } of results) {
    named.set(verdict, [...(named.get(verdict) ?? []), `${name}: ${reason}`]);
  }
  return named;
}

describe("a target that lacks", () => {
  test.each(lacking.map((lacks) => ({ lacks, what: lacks.join(" and ") })))(
    "$what fails nothing, and all that was tried is decided",
    async ({ lacks }) => {
      const verdicts = await verdictsWithout(lacks);
      expect(verdicts.get("fail") ?? []).toEqual([]);
      expect(verdicts.get("inconclusive") ?? []).toEqual([]);
      expect(verdicts.get("pass")?.length).toBeGreaterThan(0);
    },
  );
});

test("any two are lacking together once", () => {
  const pairs = names.flatMap((one, at) => names.slice(at + 1).map((other) => [one, other]));
  for (const pair of pairs) {
    const of = together.filter((lacks) =>
      pair.every((name) => lacks.some((each) => each === name)),
    );
    expect(of, String(pair)).toHaveLength(1);
  }
});

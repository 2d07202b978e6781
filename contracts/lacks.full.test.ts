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
const pairs = names.flatMap((one, at) => names.slice(at + 1).map((other) => [one, other]));

const lacking: readonly (readonly Lackable[])[] = [...names.map((name) => [name]), ...pairs];

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

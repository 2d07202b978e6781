import { onTestFinished } from "vitest";
import { runContract } from "../../contracts/run-contract.ts";
import { dialects } from "../../harness/dialects/shipped.ts";
import type { Dialect } from "../../harness/dialects/schema.ts";
import type { RequirementResult } from "../../harness/judge.ts";
import { inDialect } from "../../reference/dialects.ts";
import { specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";

export function shippedDialect(wanted: string): Dialect {
  const dialect = dialects.find(({ name }) => name === wanted);
  if (dialect === undefined) throw new Error(`no dialect ${wanted}`);
  return dialect;
}

/** Returns, once each, the requirements from which a run met deviations. */
export function deviationsOf(results: readonly RequirementResult[]): readonly string[] {
  const met = results.flatMap(({ deviations }) => deviations.map(({ requirement }) => requirement));
  return [...new Set(met)].toSorted();
}

/** Checks a reference in the dialect of the live service. */
export async function checkLiveService(
  dialect: Dialect,
  only: readonly string[],
): Promise<readonly RequirementResult[]> {
  const reference = await startReference({
    behaviour: inDialect("runpod", specified) ?? specified,
  });
  onTestFinished(async () => reference.stop());
  const { baseUrl, controlUrl = "" } = reference;
  const { results } = await runContract({
    baseUrl,
    controlUrl,
    capabilities: [],
    dialect,
    seed: 1,
    timeBudgetMs: 0,
    only,
  });
  return results;
}

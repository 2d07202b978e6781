import { describe, expect, onTestFinished, test } from "vitest";
import { dialects } from "../harness/dialects/index.ts";
import type { Dialect } from "../harness/dialects/index.ts";
import type { RequirementResult } from "../harness/judge.ts";
import { runContract } from "../contracts/index.ts";
import { inDialect, specified, startReference } from "../reference/index.ts";

function shipped(wanted: string): Dialect {
  const dialect = dialects.find(({ name }) => name === wanted);
  if (dialect === undefined) throw new Error(`no dialect ${wanted}`);
  return dialect;
}

function deviationsOf(results: readonly RequirementResult[]): readonly string[] {
  const met = results.flatMap(({ deviations }) => deviations.map(({ requirement }) => requirement));
  return [...new Set(met)].toSorted();
}

/** Where the live service departs from the specification, and next to it. */
const departures = ["STRM-*", "ENDP-04", "POLI-02", "STAT-0*", "HOOK-02", "HOOK-05", "HOOK-07"];

async function checkLive(
  dialect: Dialect,
  only: readonly string[] = departures,
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

const tolerated = ["HOOK-04", "HOOK-05", "HOOK-07", "POLI-01", "POLI-02", "STRM-01"];

describe("the live service", () => {
  test("breaks nothing at all in its own dialect, which lists what it tolerates", async () => {
    const results = await checkLive(shipped("runpod"), []);
    const reasons = results.filter(({ verdict }) => verdict !== "pass").map(({ reason }) => reason);
    expect(reasons).toEqual([]);
    expect(deviationsOf(results)).toEqual(tolerated);
  });
});

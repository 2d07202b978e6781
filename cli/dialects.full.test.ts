import { describe, expect, onTestFinished, test } from "vitest";
import { runpod as runpodDialect } from "../harness/dialects/runpod.ts";
import type { Dialect } from "../harness/dialects/schema.ts";
import type { RequirementResult } from "../harness/judge.ts";
import { runContract } from "../contracts/run-contract.ts";
import { thoroughReason } from "../reports/not-run.ts";
import { startRpLocalServer } from "../test/harness/rp-local-server.ts";
import { checkLiveService, deviationsOf, shippedDialect } from "../test/cli/live-service.ts";

function idsWith(results: readonly RequirementResult[], verdict: string): readonly string[] {
  const ids = results
    .filter((result) => result.verdict === verdict)
    .flatMap(({ covers }) => covers);
  return [...new Set(ids)].toSorted();
}

async function checkLocal(
  dialect: Dialect,
  only: readonly string[],
  discovers = true,
): Promise<RequirementResult[]> {
  const server = await startRpLocalServer();
  onTestFinished(async () => server.stop());
  const { results } = await runContract({
    baseUrl: server.baseUrl,
    endpointId: "queueproof-no-endpoint",
    apiKey: "queueproof-no-key",
    capabilities: ["handler"],
    dialect,
    discovers,
    seed: 1,
    timeBudgetMs: 0,
    only,
  });
  return [...results];
}

describe("the local server of the worker library", () => {
  const only = ["AUTH-*", "SUBM-01", "SUBM-02", "SUBM-03", "SUBM-04", "RUNA-01", "STAT-01"];

  test("breaks what it breaks, where only its paths are translated", async () => {
    const { basePath = "", methods = {} } = shippedDialect("rp-local").deviations ?? {};
    const paths = { name: "paths", description: "Its paths.", deviations: { basePath, methods } };
    const wanted = ["AUTH-01", "AUTH-02", "RUNA-01", "SUBM-01", "SUBM-02", "SUBM-03"];
    const failed = idsWith(await checkLocal(paths, [...wanted, "SUBM-04"]), "fail");
    expect(failed).toEqual(expect.arrayContaining(wanted));
    expect(failed).not.toContain("SUBM-04");
  });

  test("is nothing like the specification where nothing is translated or learned", async () => {
    const checked = checkLocal(shippedDialect("spec"), only, false);
    await expect(checked).rejects.toThrow(/was answered 404|no job API was found/);
  });

  test("breaks nothing in its own dialect, which lists what it tolerates", async () => {
    const results = await checkLocal(shippedDialect("rp-local"), [...only, "CANC-01"]);
    expect(idsWith(results, "fail")).toEqual([]);
    expect(idsWith(results, "inconclusive")).toEqual([]);
    expect(deviationsOf(results)).toEqual(
      expect.arrayContaining(["AUTH-01", "AUTH-02", "CANC-01", "RUNA-01", "STAT-01", "SUBM-01"]),
    );
    const cancel = results.filter(({ covers }) => covers.includes("CANC-01"));
    expect(new Set(cancel.map(({ reason }) => reason))).toEqual(
      new Set(["there is no cancel (dialect rp-local)"]),
    );
  });
});

/** Requirements that the live service departs from, and some near them. */
const departures = ["STRM-*", "ENDP-04", "POLI-02", "STAT-0*", "HOOK-02", "HOOK-05", "HOOK-07"];

describe("the live service", () => {
  test("breaks the specification where it departs from it, and nowhere else", async () => {
    const results = await checkLiveService(shippedDialect("spec"), departures);
    const failed = idsWith(results, "fail");
    expect(failed).toEqual(expect.arrayContaining(["HOOK-05", "HOOK-07", "POLI-02", "STRM-01"]));
    expect(failed.filter((id) => !/^STRM|^HOOK-0[57]|^POLI-02/.test(id))).toEqual([]);
    expect(deviationsOf(results)).toEqual([]);
  });

  test("fails where it shows another reading than its dialect pins", async () => {
    const { readings, ...runpod } = shippedDialect("runpod");
    const pinned = { ...runpod, readings: { ...readings, "ENDP-04": "text" } };
    const results = await checkLiveService(pinned, departures);
    expect(idsWith(results, "fail")).toEqual(["ENDP-04"]);
    const reason = results.find(({ verdict }) => verdict === "fail")?.reason;
    expect(reason).toContain("text, as the dialect runpod demands, got a JSON object");
  });
});

const oddInputsReason = `${runpodDialect.deviations?.skipsChecks?.["submit/odd-inputs-end"] ?? "none"} (dialect runpod)`;
const tolerated = ["HOOK-04", "HOOK-05", "HOOK-07", "POLI-01", "POLI-02", "STRM-01"];

test("the live service breaks nothing in its own dialect, which lists what it tolerates", async () => {
  const results = await checkLiveService(shippedDialect("runpod"), []);
  const reasons = results.filter(({ verdict }) => verdict !== "pass").map(({ reason }) => reason);
  expect(reasons).toEqual([oddInputsReason, thoroughReason]);
  expect(deviationsOf(results)).toEqual(tolerated);
});

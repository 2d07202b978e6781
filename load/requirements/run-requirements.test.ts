import { afterEach, describe, expect, test } from "vitest";

import { capabilities, requirementIds, requirements } from "../../openapi/index.ts";
import type { RequirementId } from "../../openapi/index.ts";
import { changed, specified, startReference } from "../../reference/index.ts";
import type { BehaviourChange, Reference } from "../../reference/index.ts";
import { FixedAligned, SlidingCounter, SlidingLog, TokenBucket } from "../../reference/limiters.ts";
import type { Limiter } from "../../reference/limiters.ts";
import { runRequirements } from "./run-requirements.ts";
import type { LoadCheckResult } from "./run-requirements.ts";

const running: Reference[] = [];
afterEach(async () => {
  for (const reference of running.splice(0)) await reference.stop();
});

const loadIds = requirementIds.filter((id) => {
  const { area } = requirements[id];
  return area === "rate" || area === "concurrency";
});

async function results(
  change: BehaviourChange,
  ids: readonly RequirementId[],
): Promise<readonly LoadCheckResult[]> {
  const reference = await startReference({ behaviour: changed(specified, change) });
  running.push(reference);
  const { baseUrl, controlUrl = "" } = reference;
  const target = { baseUrl, controlUrl, capabilities };
  const run = await runRequirements({
    target,
    requirements: new Set(ids),
    timeBudgetMs: 120_000,
  });
  return run.results;
}

function notPassed(found: readonly LoadCheckResult[]): readonly string[] {
  return found
    .filter(({ verdict }) => verdict !== "pass")
    .map(({ name, verdict, reason }) => `${name} ${verdict}: ${reason ?? ""}`);
}

const kinds: readonly (readonly [string, () => Limiter])[] = [
  ["fixed", () => new FixedAligned(10_000)],
  ["sliding log", () => new SlidingLog(10_000)],
  ["sliding counter", () => new SlidingCounter(10_000)],
  ["token bucket", () => new TokenBucket(10_000)],
];

describe("runRequirements", () => {
  test("decides all 24 on the reference", { timeout: 120_000 }, async () => {
    const found = await results({}, loadIds);
    expect(loadIds).toHaveLength(24);
    expect(notPassed(found)).toEqual([]);
    expect(new Set(found.flatMap(({ covers }) => covers))).toEqual(new Set(loadIds));
  });

  test.each(kinds)("accepts a %s and names it", { timeout: 120_000 }, async (kind, limiterOf) => {
    const found = await results({ limits: { limiterOf } }, loadIds);
    expect(notPassed(found)).toEqual([]);
    const readings = found.flatMap((result) => result.readings.map(({ reading }) => reading));
    expect(readings).toEqual([kind]);
  });

  test("reads jobs whatever characters their ids are of", async () => {
    const found = await results({ submission: { jobId: (_by, id) => `a/b ${id}?c=%2F#d` } }, [
      "RATE-05",
      "RATE-13",
      "CONC-05",
    ]);
    expect(notPassed(found)).toEqual([]);
  });

  test("shows the exchanges of a limit that lets one too many through, without the key", async () => {
    const { requestsPerWindow } = specified.limits;
    const limits = {
      requestsPerWindow: (operation: Parameters<typeof requestsPerWindow>[0]) =>
        requestsPerWindow(operation) + 1,
    };
    const [result] = await results({ limits }, ["RATE-08"]);
    expect(result).toMatchObject({ verdict: "fail", covers: ["RATE-08"] });
    expect(result?.evidence[0]?.request.headers["authorization"]).toBe("***");
  });

  test("decides nothing about a limit where nothing is accepted", async () => {
    const [result] = await results({ transport: { refuses: () => 503 } }, ["RATE-08"]);
    expect(result).toMatchObject({ verdict: "inconclusive" });
    expect(result?.reason).toContain("none of its requests was accepted: ");
  });

  test("does not pass a client that was never refused", async () => {
    const limits = { requestsPerWindow: () => Number.POSITIVE_INFINITY };
    const [result] = await results({ limits }, ["RATE-15"]);
    expect(result).toMatchObject({ verdict: "inconclusive" });
  });

  test("does not run what the target does not offer", async () => {
    const reference = await startReference();
    running.push(reference);
    const run = await runRequirements({
      target: { ...reference, controlUrl: "", capabilities: ["load"] },
      requirements: new Set(["RATE-11", "CONC-03"]),
      timeBudgetMs: 1,
    });
    expect(run.results.map(({ verdict }) => verdict)).toEqual(["not-run", "not-run"]);
    expect(run.sent).toBe(0);
  });
});

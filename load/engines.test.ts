import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import type { Capability, RequirementId } from "../openapi/index.ts";
import { changed, specified, startReference } from "../reference/index.ts";
import type { Behaviour } from "../reference/index.ts";
import { tiers } from "../openapi/index.ts";
import type { EngineTarget } from "./engine-endpoints.ts";
import { runEngines } from "./engines.ts";
import type { EnginesRun } from "./engines.ts";

const noK6 = { PATH: "" };

describe("the engines", () => {
  test("go on without k6, and say why it is missing", async () => {
    const run = await runOn(await started(specified), ["RATE-06", "RATE-08"], noK6);

    expect(verdictsOf(run)).toEqual({
      "load/autocannon/burst-purge-queue": "pass",
      "load/autocannon/burst-requests": "pass",
      "load/k6/rate-purge-queue": "not-run",
      "load/k6/rate-requests": "not-run",
    });
    expect(run.results.find(({ verdict }) => verdict === "not-run")?.reason).toContain("no k6 on");
    expect(run.load.map(({ engine }) => engine)).toEqual(["autocannon", "autocannon"]);
  });

  test("try again what they could not decide, and keep why", async () => {
    const behaviour = changed(specified, { transport: { refuses: () => 503 } });
    const run = await runOn(await started(behaviour), ["RATE-08"], noK6);

    const burst = run.results.find(({ name }) => name === "load/autocannon/burst-requests");
    expect(burst).toMatchObject({ verdict: "inconclusive" });
    const attempt = { reason: "none of 11 was accepted: 11 were answered by another status" };
    expect(burst?.attempts).toMatchObject([attempt, attempt]);
  });

  test("are not run where the target lacks the operation", async () => {
    const target = { ...(await started(specified)), capabilities: ["endpoints"] as const };
    const run = await runOn(target, ["RATE-07"], noK6);

    expect(run.results.map((result) => result.reason)).toEqual(
      Array.from({ length: 2 }, () => "the target does not offer openai"),
    );
  });

  test("are not run where there is no endpoint to send to", async () => {
    const target = { baseUrl: "http://127.0.0.1:1", capabilities: [] };
    const run = await runOn(target, ["RATE-02"], noK6);

    expect(new Set(Object.values(verdictsOf(run)))).toEqual(new Set(["not-run"]));
  });
});

function verdictsOf({ results }: EnginesRun): Readonly<Record<string, string>> {
  return Object.fromEntries(results.map(({ name, verdict }) => [name, verdict]));
}

async function started(behaviour: Behaviour): Promise<EngineTarget> {
  const reference = await startReference({ behaviour });
  onTestFinished(() => reference.stop());
  const capabilities: readonly Capability[] = ["endpoints", "handler", "openai", "requests"];
  return { baseUrl: reference.baseUrl, controlUrl: reference.controlUrl ?? "", capabilities };
}

function runOn(
  target: EngineTarget,
  ids: readonly RequirementId[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<EnginesRun> {
  expect(tiers.map(({ rate }) => rate)).toEqual(expect.arrayContaining([...ids]));
  return runEngines({
    target,
    requirements: new Set(ids),
    environment,
    timeBudgetMs: 120_000,
    k6CacheDirectory: join(tmpdir(), "queueproof-no-k6-here"),
  });
}

import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import type { Capability, RequirementId } from "../openapi/index.ts";
import { changed, specified, startReference } from "../reference/index.ts";
import type { Behaviour } from "../reference/index.ts";
import { tiers } from "../scenarios/tiers.ts";
import type { EngineTarget } from "./engine-endpoints.ts";
import { runEngines } from "./engines.ts";
import type { EnginesRun } from "./engines.ts";
import { realK6 } from "./k6/testing/real-k6.ts";

const { k6, reason } = await realK6();

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

  test.skipIf(k6 === undefined)(
    `let the real k6 find a doubled limit, and only that${reason && ` (${reason})`}`,
    { timeout: 120_000 },
    async () => {
      const { requestsPerWindow } = specified.limits;
      const behaviour = changed(specified, {
        limits: {
          requestsPerWindow: (name) => (name === "requests" ? 20 : requestsPerWindow(name)),
        },
      });

      const run = await runOn(await started(behaviour), ["RATE-06", "RATE-08"], {
        ...process.env,
        K6_PATH: k6?.path,
      });

      // On a machine that is too busy k6 decides nothing; it is never wrong.
      const verdicts = verdictsOf(run);
      expect(["fail", "inconclusive"]).toContain(verdicts["load/k6/rate-requests"]);
      expect(["pass", "inconclusive"]).toContain(verdicts["load/k6/rate-purge-queue"]);
      const figures = run.load.find(({ scenario }) => scenario === "load/k6/rate-requests");
      expect(figures?.figures["above sent"]).toBeGreaterThan(0);
    },
  );
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
  expect(tiers.map(({ requirement }) => requirement)).toEqual(expect.arrayContaining([...ids]));
  return runEngines({
    target,
    requirements: new Set(ids),
    environment,
    timeBudgetMs: 120_000,
    k6CacheDirectory: join(tmpdir(), "queueproof-no-k6-here"),
  });
}

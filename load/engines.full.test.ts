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
import { realK6 } from "./k6/testing/real-k6.ts";

const { k6, reason } = await realK6();

describe("the engines", () => {
  test.skipIf(k6 === undefined)(
    `let the real k6 find a doubled limit, and only that${reason && ` (${reason})`}`,
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
  expect(tiers.map(({ rate }) => rate)).toEqual(expect.arrayContaining([...ids]));
  return runEngines({
    target,
    requirements: new Set(ids),
    environment,
    timeBudgetMs: 120_000,
    k6CacheDirectory: join(tmpdir(), "queueproof-no-k6-here"),
  });
}

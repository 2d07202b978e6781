import { expect, test } from "vitest";

import type { Check } from "./check.ts";
import { runChecks } from "./run.ts";
import type { RunSettings } from "./run.ts";
import { scriptedServer } from "../test/harness/scripted-server.ts";

const health = {
  jobs: { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 },
  workers: { idle: 1, running: 0 },
};

function checkOf(name: string, run: Check["run"]): Check {
  return { name, title: name, covers: ["HLTH-01"], needs: [], realTimeMs: 0, run };
}

const decided = checkOf("kit/decided", async ({ api, expect: demand }) => {
  demand.accepted(await api.health());
});
const waiting = checkOf("kit/waits-in-vain", async ({ api, expect: demand, time }) => {
  demand.accepted(await api.health());
  await time.pass(600_000);
});

async function settingsFor(): Promise<RunSettings> {
  const baseUrl = await scriptedServer((request) =>
    request.endsWith("/health") ? [200, health] : [404, {}],
  );
  const key = { endpointId: "e", apiKey: "key-of-e", capabilities: [] };
  return { baseUrl, ...key, timeBudgetMs: 1000, seed: 1 };
}

test("a run ends at its time limit with what was decided, and neither passes nor fails the rest", async () => {
  const settings = { ...(await settingsFor()), discovers: false, timeLimitMs: 1500 };
  const { results, interrupted } = await runChecks([decided, waiting], settings);
  expect(results).toMatchObject([
    { name: "kit/decided", verdict: "pass" },
    { name: "kit/waits-in-vain", verdict: "inconclusive" },
  ]);
  expect(results[1]?.reason).toMatch(/^the run was ended after 1\.5 s, its time limit: it was/);
  expect(results[1]?.attempts).toBeUndefined();
  expect(interrupted).toBe(false);
});

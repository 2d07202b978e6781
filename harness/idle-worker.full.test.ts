import { expect, onTestFinished, test } from "vitest";

import { changed, specified } from "../reference/behaviour.ts";
import { startReference } from "../reference/start-reference.ts";
import { faults } from "../proof/faults/faults.ts";
import type { Check } from "./check.ts";
import { submitJob } from "./jobs/fixtures.ts";
import { runChecks } from "./run.ts";

const apiKey = "the-key-of-the-endpoint";

const stalling: Check = {
  name: "cancel/of-a-test",
  title: "needs every worker to be busy",
  covers: ["CANC-01"],
  needs: [],
  realTimeMs: 0,
  stalls: true,
  run: async (context) => {
    await context.workers.whileStalled(async () => submitJob(context, context.jobs.quick("waits")));
  },
};

test("where an idle worker takes no job, the check is undecided soon, and no slow job is left", async () => {
  const fault = faults.find(({ name }) => name === "states/one-worker-stays-idle");
  if (fault === undefined) throw new Error("the fault is gone");
  const behaviour = changed(specified, fault.change(specified));
  const endpoints = [{ id: "a", apiKey, workers: 2, clock: "real" as const }];
  const reference = await startReference({ endpoints, control: false, behaviour });
  onTestFinished(async () => reference.stop());
  const where = { baseUrl: reference.baseUrl, endpointId: "a", apiKey };
  const { results } = await runChecks([stalling], {
    ...where,
    capabilities: ["handler"],
    timeBudgetMs: 60_000,
    seed: 1,
  });
  const [result] = results;
  expect(result?.verdict).toBe("inconclusive");
  expect(result?.reason).toContain("a slow job meant for it is IN_QUEUE");

  const headers = { authorization: apiKey };
  const health = await fetch(`${reference.baseUrl}/v2/a/health`, { headers });
  expect(await health.json()).toMatchObject({ jobs: { inQueue: 0, inProgress: 0 } });
});

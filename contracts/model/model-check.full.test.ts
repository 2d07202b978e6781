import { expect, onTestFinished, test } from "vitest";

import { unlimitedBudgetMs } from "../../harness/time-budget.ts";
import { runChecks } from "../../harness/run.ts";
import { changed, specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import { faultNamed } from "../../proof/faults/faults.ts";
import type { BehaviourChange } from "../../reference/behaviour.ts";
import { modelChecks } from "./model-check.ts";

const [shortName, longName] = modelChecks.map(({ name }) => name);

test.each([1, 2])(
  "thousands of jobs of the reference agree with the model, seed %i",
  async (seed) => {
    expect(await verdictsOf({ seed })).toEqual({
      [shortName ?? ""]: "pass",
      [longName ?? ""]: "pass",
    });
  },
);

test("only long sequences meet a job that is lost after hundreds", async () => {
  const verdicts = await verdictsOf({ seed: 1, fault: "states/every-250th-job-is-lost" });
  expect(verdicts).toEqual({ [shortName ?? ""]: "pass", [longName ?? ""]: "fail" });
});

test("they are not run within a time budget", async () => {
  const verdicts = await verdictsOf({ seed: 1, timeBudgetMs: 3_600_000 });
  expect(verdicts).toEqual({ [shortName ?? ""]: "pass", [longName ?? ""]: "not-run" });
});

test("a target that refuses every status passes neither", async () => {
  const { requestsPerWindow } = specified.limits;
  const verdicts = await verdictsOf({
    seed: 1,
    limits: {
      requestsPerWindow: (operation) => (operation === "status" ? 0 : requestsPerWindow(operation)),
    },
  });
  expect(Object.values(verdicts)).toEqual(["inconclusive", "inconclusive"]);
});

async function verdictsOf({
  seed,
  fault,
  limits = {},
  timeBudgetMs = unlimitedBudgetMs,
}: {
  readonly seed: number;
  readonly fault?: string;
  readonly limits?: BehaviourChange["limits"];
  readonly timeBudgetMs?: number;
}): Promise<Readonly<Record<string, string>>> {
  const change = fault === undefined ? undefined : faultNamed(fault)?.change;
  const broken = change === undefined ? specified : changed(specified, change(specified));
  const behaviour = changed(broken, { limits });
  const reference = await startReference({ behaviour });
  onTestFinished(async () => reference.stop());
  const { baseUrl, controlUrl = "" } = reference;
  const { results } = await runChecks(modelChecks, {
    baseUrl,
    controlUrl,
    capabilities: [],
    timeBudgetMs,
    seed,
  });
  return Object.fromEntries(results.map(({ name, verdict }) => [name, verdict]));
}

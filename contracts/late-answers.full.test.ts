import { expect, onTestFinished, test } from "vitest";

import { runChecks } from "../harness/run.ts";
import { changed, specified } from "../reference/behaviour.ts";
import { startReference } from "../reference/start-reference.ts";
import { checks } from "./checks.ts";

/** So late that what some checks want to see is over before the answer reaches them. */
const delayMs = 500;

test("a conforming target that answers late fails no check", async () => {
  const apiKey = "the-key-of-this-test";
  const behaviour = changed(specified, { transport: { delayAfterMs: () => delayMs } });
  const endpoints = [{ id: "e", apiKey, workers: 3, clock: "real" as const }];
  const reference = await startReference({ behaviour, endpoints, control: false });
  onTestFinished(async () => reference.stop());

  const named = ["health/job-in-progress-while-it-works", "status/times-of-a-failed-job"];
  const outcome = await runChecks(
    checks.filter(({ name }) => named.includes(name)),
    {
      baseUrl: reference.baseUrl,
      endpointId: "e",
      apiKey,
      capabilities: ["handler"],
      timeBudgetMs: 60_000,
      seed: 1,
    },
  );
  const tried = outcome.results.filter(({ verdict }) => verdict !== "not-run");
  expect(tried.map(({ name }) => name).toSorted()).toEqual(named);
  expect(tried.filter(({ verdict }) => verdict === "fail")).toEqual([]);
  expect(tried.filter(({ harnessError }) => harnessError !== undefined)).toEqual([]);
});

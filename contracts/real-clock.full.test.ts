import { expect, onTestFinished, test } from "vitest";
import { changed, specified } from "../reference/behaviour.ts";
import { startReference } from "../reference/start-reference.ts";
import { faultNamed } from "../proof/faults/faults.ts";
import { runContract } from "./run-contract.ts";
import { judgeFrom, told } from "../test/strangers/judge-stranger.ts";
import { apiKey } from "../test/strangers/kinds.ts";
import { runChecks } from "../harness/run.ts";
import { checks } from "./checks.ts";

/** On a real clock counts are read again before they convict, which must not hide what is wrong. */
test.each([
  { fault: "submit/refused-webhook-creates-a-job", id: "SUBM-07" },
  { fault: "auth/refused-run-still-submits", id: "AUTH-06" },
] as const)("$fault fails $id on a real clock", async ({ fault, id }) => {
  const change = faultNamed(fault)?.change(specified);
  const reference = await startReference({
    endpointId: "e",
    apiKey,
    control: false,
    defaultEndpoint: { workers: 3 },
    behaviour: changed(specified, change ?? {}),
  });
  onTestFinished(() => reference.stop());
  const { baseUrl } = reference;
  const { results, facts } = await runContract({
    baseUrl,
    endpointId: "e",
    apiKey,
    capabilities: ["handler"],
    only: [id],
    seed: 1,
    timeBudgetMs: 60_000,
  });
  expect(facts).toEqual([]);
  expect(results.some(({ verdict }) => verdict === "fail")).toBe(true);
});

test("a cancel that frees no worker is one cause, and what follows it is not run", async () => {
  const fault = faultNamed("cancel/worker-works-to-the-end");
  const behaviour = changed(specified, fault?.change(specified) ?? {});
  const endpointId = "e";
  const reference = await startReference({
    behaviour,
    endpointId,
    apiKey,
    control: false,
    defaultEndpoint: { workers: 2 },
  });
  const judged = await judgeFrom(reference, [], {
    endpointId,
    apiKey,
    capabilities: ["handler"],
    timeBudgetMs: 10_000,
    only: ["CANC-*", "STAT-*", "SYNC-*"],
  });
  expect(judged, told(judged)).toEqual({ learned: ["cancel-keeps-worker"], beyond: [] });
});

/** So late that what some checks want to see is over before the answer reaches them. */
const delayMs = 500;

test("a conforming target that answers late fails no check", async () => {
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

/** Longer than what is granted to any target. */
const startMs = 8000;

test("a worker that has to start first is waited for, and fails nobody", async () => {
  const endpoint = { id: "e", apiKey, workers: 0, clock: "real" as const };
  const reference = await startReference({ endpoints: [endpoint] });
  const { baseUrl, controlUrl = "" } = reference;
  onTestFinished(async () => reference.stop());
  const setWorkers = async (workers: number): Promise<unknown> =>
    fetch(`${controlUrl}/endpoints/e/workers`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ count: workers }),
    });
  const starting = setTimeout(() => void setWorkers(1), startMs);
  onTestFinished(() => clearTimeout(starting));
  const { facts = [], results } = await runContract({
    baseUrl,
    endpointId: "e",
    apiKey,
    capabilities: ["handler"],
    timeBudgetMs: 1000,
    only: ["LIFE-02", "STAT-02"],
    seed: 1,
  });
  expect(facts.map(({ id }) => id)).toContain("slow-start");
  const undecided = results.filter(
    ({ verdict }) => verdict === "fail" || verdict === "inconclusive",
  );
  expect(undecided).toEqual([]);
});

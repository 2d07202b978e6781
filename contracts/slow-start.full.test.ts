import { expect, onTestFinished, test } from "vitest";

import { startReference } from "../reference/start-reference.ts";
import { apiKey } from "../test/strangers/kinds.ts";
import { runContract } from "./run-contract.ts";

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

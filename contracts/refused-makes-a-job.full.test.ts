import { expect, onTestFinished, test } from "vitest";

import { changed, specified } from "../reference/behaviour.ts";
import { startReference } from "../reference/start-reference.ts";
import { faultNamed } from "../proof/faults/faults.ts";
import { runContract } from "./run-contract.ts";

/** On a real clock counts are read again before they convict, which must not hide what is wrong. */
test.each([
  { fault: "submit/refused-webhook-creates-a-job", id: "SUBM-07" },
  { fault: "auth/refused-run-still-submits", id: "AUTH-06" },
] as const)("$fault fails $id on a real clock", async ({ fault, id }) => {
  const apiKey = "key-of-the-endpoint";
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

import { expect, onTestFinished, test } from "vitest";

import { capabilities } from "../openapi/capabilities.ts";
import { startReference } from "../reference/start-reference.ts";
import { closesAfter, codes, extendsChunks, informs, plain } from "../test/fronts/moods.ts";
import type { Mood } from "../test/fronts/moods.ts";
import { startFront } from "../test/fronts/start-front.ts";
import { runRequirements } from "./requirements/run-requirements.ts";

/** Limits and caps are those of the server behind, whatever stands in front of it. */
test.each<[string, Mood]>([
  ["does nothing", plain],
  ["compresses by gzip", codes("gzip")],
  ["sends 102 and 103 before each answer", informs],
  ["closes a connection after 20 requests and says so", closesAfter(20)],
  ["sends chunks with extensions and a trailer", extendsChunks],
])("no limit is found to be another through a front that %s", async (_what, mood) => {
  const reference = await startReference();
  onTestFinished(() => reference.stop());
  const front = await startFront(reference.baseUrl, mood);
  onTestFinished(() => front.stop());
  const { results } = await runRequirements({
    target: { baseUrl: front.baseUrl, controlUrl: reference.controlUrl ?? "", capabilities },
    requirements: new Set(["RATE-02", "RATE-05", "RATE-08", "CONC-05", "CONC-07"]),
    timeBudgetMs: 120_000,
  });
  const passed = results.filter(({ verdict }) => verdict === "pass");
  expect(passed.length).toBeGreaterThan(3);
  const failed = results.filter(({ verdict }) => verdict === "fail");
  expect(failed.map(({ name, reason }) => `${name}: ${String(reason)}`)).toEqual([]);
});

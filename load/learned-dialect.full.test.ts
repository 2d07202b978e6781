import { expect, test } from "vitest";

import { spec } from "../harness/dialects/spec.ts";
import { capabilities } from "../openapi/capabilities.ts";
import { startReference } from "../reference/start-reference.ts";
import { enveloped } from "../test/strangers/other-forms.ts";
import { startStranger } from "../test/strangers/departures.ts";
import { runRequirements } from "./requirements/run-requirements.ts";

test("jobs are found again where an envelope stands round their records", async ({
  onTestFinished,
}) => {
  const reference = await startReference();
  onTestFinished(() => reference.stop());
  const stranger = await startStranger(reference.baseUrl, [enveloped]);
  onTestFinished(() => stranger.stop());
  const { results } = await runRequirements({
    target: {
      baseUrl: stranger.baseUrl,
      controlUrl: reference.controlUrl ?? "",
      capabilities,
      dialect: { ...spec, deviations: { envelope: "data" } },
    },
    requirements: new Set(["RATE-05"]),
    timeBudgetMs: 120_000,
  });
  const of = results.map(({ name, verdict, reason = "" }) => `${name} ${verdict} ${reason}`);
  expect(of).toContain("rate/limit-of-cancel pass ");
  expect(of.filter((line) => !line.includes(" pass "))).toEqual([]);
});

import { describe, expect, onTestFinished, test } from "vitest";

import { ReceiverServer } from "../../harness/webhooks/receiver-server.ts";
import { webhookStorm } from "../../scenarios/data/webhook-storm.ts";
import { wholeJobs } from "../../scenarios/data/whole-jobs.ts";
import { runScenario } from "./run-scenario.ts";
import type { ScenarioOptions } from "./run-scenario.ts";

const target = {
  baseUrl: "http://127.0.0.1:9",
  endpointId: "e",
  apiKey: "key",
  capabilities: ["handler"] as const,
};

describe("a scenario that is stopped while its endpoint is left alone", () => {
  test("is not answered, with the reason", async () => {
    const finding = await runScenario(wholeJobs, stoppedSoon("the load was stopped: enough"));
    expect(finding).toMatchObject({
      verdict: "inconclusive",
      reason: "the load was stopped: enough before it started",
    });
  });

  test("says so among its points, too, where it was one of several", async () => {
    const share = { segment: { index: 1, of: 2 }, directory: "/tmp/nobody-writes-there" };
    const finding = await runScenario(wholeJobs, { ...stoppedSoon("enough"), share });
    expect(finding.points).toMatchObject({
      runner: 1,
      runners: 2,
      undecided: "enough before it started",
    });
  });
});

test("a scenario whose receiver finds its port taken is not answered, with the reason", async () => {
  const taken = await ReceiverServer.start({}, () => undefined);
  onTestFinished(async () => taken.close());
  const finding = await runScenario(webhookStorm, {
    ...stoppedSoon("enough"),
    webhook: { port: taken.port },
  });
  expect(finding.verdict).toBe("inconclusive");
  expect(finding.reason).toMatch(/^the webhook receiver could not be started: .*EADDRINUSE/);
});

function stoppedSoon(reason: string): ScenarioOptions {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 10);
  const k6 = { path: "/no/such/k6" };
  return { k6, environment: {}, target, signal: controller.signal };
}

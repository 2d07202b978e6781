import { describe, expect, onTestFinished, test } from "vitest";

import { summaryOfPoints } from "../distributed/summary-of-points.ts";
import { ScenarioReceiver } from "./receiver.ts";

const record = { id: "job", status: "COMPLETED" };

describe("the receiver of webhooks", () => {
  test("tells calls that were lost, made again or wrong, and their delays", async () => {
    const receiver = await started();
    const orderedMs = Date.now() - 1_000;
    await call(`${receiver.url}/0/${orderedMs}`, record);
    await call(`${receiver.url}/0/${orderedMs}`, record);
    await call(`${receiver.url}/1/${orderedMs}`, { id: "job", status: "FAILED" });

    const seen = summaryOfPoints(receiver.series(4));
    expect(Object.fromEntries(seen)).toMatchObject({
      "webhooks.calls": { count: 3 },
      "webhooks.lost": { count: 2 },
      "webhooks.again": { count: 1 },
      "webhooks.wrong": { count: 1 },
      "webhooks.strays": { count: 0 },
    });
    expect(receiver.series(4).get("webhooks.delay")?.values).toHaveLength(2);
    expect(seen.get("webhooks.delay")?.["min"]).toBeGreaterThanOrEqual(1_000);
  });

  test("of one runner takes no call for the job of another as its own", async () => {
    const receiver = await started(2);
    expect(receiver.url).toMatch(/\/runner-2$/);
    await call(`${receiver.url}/0/${Date.now()}`, record);
    await call(`${receiver.url.replace("runner-2", "runner-1")}/1/${Date.now()}`, record);
    // A public address may put a path of its own before.
    await call(`${receiver.url.replace("/runner-2", "/hooks/runner-2")}/3/${Date.now()}`, record);

    expect(Object.fromEntries(summaryOfPoints(receiver.series(2)))).toMatchObject({
      "webhooks.calls": { count: 2 },
      "webhooks.lost": { count: 0 },
      "webhooks.strays": { count: 1 },
    });
  });
});

async function started(runner?: number): Promise<ScenarioReceiver> {
  const receiver = await ScenarioReceiver.start({ runner });
  onTestFinished(() => receiver.close());
  return receiver;
}

async function call(url: string, body: object): Promise<void> {
  const { status } = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  expect(status).toBe(200);
}

import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, expect, test, vi } from "vitest";

import { exchangeOf } from "../../test/harness/exchange.ts";
import type { Hook } from "../webhooks/hook.ts";
import { WebhookReceiver } from "../webhooks/receiver.ts";
import { Discovery } from "./discovery.ts";
import { WebhookArrival } from "./webhook-arrival.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function watched(): Promise<{
  readonly discovery: Discovery;
  readonly receiver: WebhookReceiver;
  readonly hook: Hook;
  readonly endJob: (status: string) => void;
}> {
  const receiver = await WebhookReceiver.start();
  const discovery = new Discovery();
  const arrival = new WebhookArrival({ discovery, receiver: () => receiver, withinMs: 50 });
  stops.push(async () => {
    arrival.close();
    await receiver.stop();
  });
  const hook = receiver.hook();
  const submission = { input: {}, webhook: hook.url };
  arrival.note(
    exchangeOf({ id: "job-1", status: "IN_QUEUE" }, { operation: "run", sent: submission }),
  );
  const endJob = (status: string): void => {
    arrival.note(exchangeOf({ id: "job-1", status }, { operation: "status" }));
  };
  return { discovery, receiver, hook, endJob };
}

test("where a job has completed and no webhook was called, none is waited for any more", async () => {
  const { discovery, endJob } = await watched();
  endJob("COMPLETED");
  await vi.waitFor(() => expect(discovery.knows("webhooks-never-arrive")).toBe(true));
  expect(discovery.facts[0]).toMatchObject({
    breaks: ["HOOK-01"],
    dialect: { lacks: ["webhook"] },
  });
});

test.each(["IN_PROGRESS", "FAILED"])(
  "nothing is concluded from a job that is %s",
  async (status) => {
    const { discovery, receiver, endJob } = await watched();
    const judging = vi.spyOn(receiver, "whyCallsMayDiffer");
    endJob(status);
    await sleep(100);
    expect(judging).not.toHaveBeenCalled();
    expect(discovery.learned).toEqual([]);
  },
);

test("nothing is concluded where a call came, or where this machine may have missed it", async () => {
  const { discovery, receiver, hook, endJob } = await watched();
  const judging = vi.spyOn(receiver, "whyCallsMayDiffer").mockResolvedValueOnce("it was busy");
  endJob("COMPLETED");
  await vi.waitFor(() => expect(judging).toHaveBeenCalledTimes(1));
  await fetch(hook.url, { method: "POST", body: "{}" });
  endJob("COMPLETED");
  expect(hook.attempts).toHaveLength(1);
  expect(discovery.learned).toEqual([]);
});

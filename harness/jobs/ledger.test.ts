import { expect, onTestFinished, test } from "vitest";

import { Inconclusive } from "../outcome.ts";
import { WebhookReceiver } from "../webhooks/receiver.ts";
import { ledgerOf } from "./ledger.ts";

async function receiverThat(why: string | undefined): Promise<Parameters<typeof ledgerOf>[0]> {
  const receiver = await WebhookReceiver.start();
  onTestFinished(async () => receiver.stop());
  const { hook } = receiver.hooks(() => undefined);
  return { hook, whyCallsMayDiffer: async () => Promise.resolve(why) };
}

test("a ledger counts the executions that were begun, by their jobs", async () => {
  const ledger = ledgerOf(await receiverThat(undefined));
  const { ledger: url } = ledger.reported({ op: "echo" });
  for (const [jobId, event] of [
    ["a", "start"],
    ["a", "end"],
    ["b", "start"],
    ["a", "start"],
  ]) {
    const body = JSON.stringify({ jobId, event, worker: "w", attempt: 1, atMs: 1 });
    await fetch(String(url), { method: "POST", body });
  }
  expect(["a", "b", "c"].map((id) => ledger.startsOf(id).length)).toEqual([2, 1, 0]);
});

test("a missing report proves nothing where this machine may not have taken it", async () => {
  const busy = ledgerOf(await receiverThat("this machine was too busy"));
  await expect(busy.requireTaken()).rejects.toThrow(Inconclusive);
  const idle = ledgerOf(await receiverThat(undefined));
  await expect(idle.requireTaken()).resolves.toBeUndefined();
});

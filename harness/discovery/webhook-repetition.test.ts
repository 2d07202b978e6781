import { afterEach, expect, test, vi } from "vitest";

import { monotonicNowMs } from "../../client/exchange.ts";
import { WebhookReceiver } from "../webhooks/receiver.ts";
import type { Hook, HookReply } from "../webhooks/hook.ts";
import { Discovery } from "./discovery.ts";
import { WebhookRepetition } from "./webhook-repetition.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A hook of which these calls came half a minute ago, each of the job of this id. */
function called(receiver: WebhookReceiver, reply: HookReply, ...ids: readonly string[]): Hook {
  const hook = receiver.hook(reply);
  const atMs = monotonicNowMs() - 30_000;
  for (const id of ids) {
    const text = JSON.stringify({ id, status: "COMPLETED" });
    const at = { earliestMs: atMs, latestMs: atMs };
    hook.receive({ method: "POST", path: "/", headers: {}, text, at });
  }
  return hook;
}

async function learnedFrom(
  make: (receiver: WebhookReceiver) => void,
  wasAway = false,
): Promise<Discovery> {
  const receiver = await WebhookReceiver.start();
  stops.push(async () => receiver.stop());
  make(receiver);
  const discovery = new Discovery();
  vi.spyOn(receiver, "whyCallsMayDiffer").mockResolvedValue(undefined);
  const repetition = new WebhookRepetition(discovery);
  if (wasAway) repetition.forget();
  repetition.note(receiver);
  // What is looked up of each call has been, by then.
  await new Promise(setImmediate);
  return discovery;
}

test("where three failed calls were never made again, later attempts show nothing", async () => {
  const discovery = await learnedFrom((receiver) => {
    for (const id of ["a", "b", "c"]) called(receiver, 500, id);
  });
  const [learned] = discovery.learned;
  const missing = { at: "attempts", expected: "3", got: "1" };
  const isExplained = learned?.explains?.({ requirement: "HOOK-04", ...missing }, undefined);
  const isExcused = learned?.excuses?.({ requirement: "HOOK-06", ...missing }, undefined);
  expect(learned?.id).toBe("webhooks-once");
  expect({ isExplained, isExcused }).toEqual({ isExplained: true, isExcused: true });
});

test.each([
  { what: "two failed", replies: [500, 500], more: [] },
  { what: "all are still awaited", replies: ["silence", "silence", "silence"], more: [] },
  { what: "all were acknowledged", replies: [200, 200, 200], more: [] },
  { what: "one was made again", replies: [500, 500, 500], more: ["d", "d"] },
  { what: "the target was away since", replies: [500, 500, 500], more: [], wasAway: true },
] as const)("nothing is learned where $what", async ({ replies, more, ...rest }) => {
  const make = (receiver: WebhookReceiver): void => {
    for (const [index, reply] of replies.entries()) called(receiver, reply, `job-${index}`);
    if (more.length > 0) called(receiver, 500, ...more);
  };
  const discovery = await learnedFrom(make, "wasAway" in rest);
  expect(discovery.learned).toEqual([]);
});

test("where others were made again, what was answered so twice and was not is taken for acknowledged", async () => {
  const discovery = await learnedFrom((receiver) => {
    called(receiver, 500, "a", "a");
    for (const id of ["b", "c"]) called(receiver, 204, id);
    called(receiver, 302, "d");
  });
  const [learned, more] = discovery.learned;
  const explained = ["204", "302", "500"].map((reply) => {
    const at = `attempts in all, each answered ${reply}`;
    return learned?.explains?.({ requirement: "HOOK-04", at, expected: "3", got: "1" }, undefined);
  });
  expect(learned).toMatchObject({ id: "webhooks-accept-2xx", breaks: ["HOOK-07"] });
  expect(more).toBe(undefined);
  expect(explained).toEqual([true, false, false]);
});

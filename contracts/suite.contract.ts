import { BroadcastChannel } from "node:worker_threads";

import { afterAll, describe, inject, test } from "vitest";

import { checks } from "./checks.ts";
import type { Check } from "../harness/index.ts";
import { preparedRun, runCheck } from "../harness/run-check.ts";
import { stopMessage } from "./stop-message.ts";
import { Session } from "../harness/session.ts";

const { target, seed, timeBudgetMs, selected, channelName } = inject("contract");
const names = new Set(selected);
const session = new Session(target, seed);
const channel = new BroadcastChannel(channelName);
// vitest's own signal does not reach a check that only waits.
const stop = new AbortController();
channel.addEventListener("message", (event) => {
  if ("data" in event && event.data === stopMessage) stop.abort();
});
session.onWaiting = (waiting) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  channel.postMessage(waiting);
};

afterAll(async () => {
  channel.close();
  await session.close();
});

const chosen = checks.filter(({ name }) => names.has(name));
const picked = preparedRun(chosen, session, timeBudgetMs);

/** The contract suite as one vitest file: its checks run side by side and wait side by side. */
describe.concurrent("contract", () => {
  for (const check of picked.filter(({ observes }) => observes !== true)) register(check);
});

describe("all that was observed", () => {
  for (const check of picked.filter(({ observes }) => observes === true)) register(check);
});

function register(check: Check): void {
  // The kit ends a check by itself; vitest only stops what forgot to.
  test(check.name, { timeout: 0 }, async ({ task, signal, skip }) => {
    const results = await runCheck(check, session, {
      timeBudgetMs,
      signal: AbortSignal.any([signal, stop.signal]),
    });
    task.meta.results = results;
    const failures = results.filter(({ verdict }) => verdict === "fail");
    if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join("; "));
    const undecided = results.find(({ verdict }) => verdict !== "pass");
    if (undecided !== undefined) skip(`${undecided.verdict}: ${undecided.reason ?? ""}`);
  });
}

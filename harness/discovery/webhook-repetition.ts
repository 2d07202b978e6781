import { monotonicNowMs } from "../../client/exchange.ts";
import type { Mismatch } from "../../reports/model.ts";
import type { Hook } from "../webhooks/hook.ts";
import type { WebhookReceiver } from "../webhooks/receiver.ts";
import type { Discovery } from "./discovery.ts";

/** The id of the cause that a failed call of a webhook is never made again. */
export const webhooksOnce = "webhooks-once";

/** A failed call is made again 10 s later: after so long, in milliseconds, it is not only late. */
const overdueMs = 25_000;
/** So many calls: it is no matter of one. */
const callsMin = 3;
const lookEveryMs = 1000;

/**
 * Learns that a failed call is never made again: what is said of the later attempts shows nothing then. It looks at the
 * webhooks of the checks, and at most once a second.
 */
export class WebhookRepetition {
  readonly #discovery: Discovery;
  #lookedAtMs = 0;
  #isLooking = false;
  #isRepeated = false;

  constructor(discovery: Discovery) {
    this.#discovery = discovery;
  }

  /** Has to be called now and then. */
  note(receiver: WebhookReceiver | undefined): void {
    const nowMs = monotonicNowMs();
    if (receiver === undefined || this.#isLooking || nowMs - this.#lookedAtMs < lookEveryMs) return;
    if (this.#isRepeated || this.#discovery.knows(webhooksOnce)) return;
    this.#lookedAtMs = nowMs;
    const hooks = [...receiver.all];
    this.#isRepeated = hooks.some(isRepeated);
    const overdue = hooks.filter((hook) => isOverdue(hook, nowMs));
    if (this.#isRepeated || overdue.length < callsMin) return;
    this.#isLooking = true;
    void this.#judge(receiver, overdue).finally(() => (this.#isLooking = false));
  }

  async #judge(receiver: WebhookReceiver, overdue: readonly Hook[]): Promise<void> {
    for (const hook of overdue) {
      if ((await receiver.whyCallsMayDiffer(hook)) !== undefined) return;
    }
    learnOnce(this.#discovery, overdue);
  }
}

/** Whether a call was made twice. Of a job that was retried each end has a call of its own. */
function isRepeated({ attempts }: Hook): boolean {
  return new Set(attempts.map(({ text }) => text)).size < attempts.length;
}

/** Whether its only call failed long ago. */
function isOverdue({ attempts, answered }: Hook, nowMs: number): boolean {
  const [first] = attempts;
  // One that is left without an answer is awaited for as long as the server likes.
  const isAwaited = answered[0] === "silence";
  if (first === undefined || attempts.length > 1 || answered[0] === 200 || isAwaited) return false;
  return nowMs - first.at.latestMs > overdueMs;
}

function learnOnce(discovery: Discovery, overdue: readonly Hook[]): void {
  const replies = [...new Set(overdue.map(({ answered }) => String(answered[0])))];
  discovery.learn({
    id: webhooksOnce,
    topic: "webhooks",
    text: `a failed call of a webhook is never made again: none of ${overdue.length} came within ${overdueMs / 1000} s (they were answered ${replies.join(", ")})`,
    adapted: "what later attempts would show is not run",
    breaks: ["HOOK-04"],
    expected: "up to 2 more calls, 10 s apart",
    got: "none",
    explains: (mismatch) => mismatch.requirement === "HOOK-04" && isOfMissingCall(mismatch),
    excuses: (mismatch) => ofLaterCalls.has(mismatch.requirement) && isOfMissingCall(mismatch),
    seen: [],
  });
}

/** They tell what follows from the answer to a call, of which nothing follows. */
const ofLaterCalls: ReadonlySet<string> = new Set(["HOOK-05", "HOOK-06", "HOOK-07"]);

function isOfMissingCall({ expected, got }: Mismatch): boolean {
  if (expected === "true") return got === "false";
  return Number(got) < Number(expected);
}

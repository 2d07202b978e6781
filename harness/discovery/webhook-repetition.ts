import { monotonicNowMs } from "../../client/exchange.ts";
import type { Mismatch } from "../../reports/model.ts";
import type { Hook, HookReply } from "../webhooks/hook.ts";
import type { WebhookReceiver } from "../webhooks/receiver.ts";
import type { Discovery } from "./discovery.ts";

/** The id of the cause that a failed call of a webhook is never made again. */
export const webhooksOnce = "webhooks-once";

/** A failed call is made again 10 s later: after so long, in milliseconds, it is not only late. */
const overdueMs = 25_000;
/** So many calls: it is no matter of one. */
const callsMin = 3;
const lookEveryMs = 1000;

/** What a target may take for an acknowledgement beside 200. */
interface Acceptance {
  /** The id of the cause. */
  readonly id: string;
  readonly what: string;
  /** The first digit of the HTTP statuses. */
  readonly digit: number;
}

const acceptances: readonly Acceptance[] = [
  { id: "webhooks-accept-2xx", what: "another 2xx than 200", digit: 2 },
  { id: "webhooks-accept-redirects", what: "a redirect", digit: 3 },
];
/** So many calls that were answered so, where others were made again. */
const acceptedMin = 2;

/**
 * Learns which failed calls are never made again, all or those that were answered in some way: what is said of the later
 * attempts shows nothing more then. It looks at the webhooks of the checks, and at most once a second.
 */
export class WebhookRepetition {
  readonly #discovery: Discovery;
  #lookedAtMs = 0;
  #isLooking = false;
  #isRepeated = false;
  #sinceMs = -Infinity;

  constructor(discovery: Discovery) {
    this.#discovery = discovery;
  }

  /** Has to be called where the target went away and came back: what it would have called again is lost with its jobs. */
  forget(): void {
    this.#sinceMs = monotonicNowMs();
  }

  /** Has to be called now and then. */
  note(receiver: WebhookReceiver | undefined): void {
    const nowMs = monotonicNowMs();
    if (receiver === undefined || this.#isLooking || nowMs - this.#lookedAtMs < lookEveryMs) return;
    if (this.#discovery.knows(webhooksOnce)) return;
    this.#lookedAtMs = nowMs;
    const hooks = [...receiver.all];
    this.#isRepeated ||= hooks.some(isRepeated);
    const overdue = hooks.filter((hook) => isOverdue(hook, { sinceMs: this.#sinceMs, nowMs }));
    this.#isLooking = true;
    void this.#judge(receiver, overdue).finally(() => (this.#isLooking = false));
  }

  async #judge(receiver: WebhookReceiver, overdue: readonly Hook[]): Promise<void> {
    const discovery = this.#discovery;
    if (!this.#isRepeated) {
      if (overdue.length >= callsMin && (await areSure(receiver, overdue))) {
        learnOnce(discovery, overdue);
      }
      return;
    }
    for (const acceptance of acceptances) {
      const accepted = overdue.filter(({ answered }) => isOf(acceptance, answered[0]));
      if (accepted.length < acceptedMin || discovery.knows(acceptance.id)) continue;
      if (await areSure(receiver, accepted)) learnAccepted(discovery, acceptance, accepted);
    }
  }
}

/** Whether nothing of this machine may be why no more calls came. */
async function areSure(receiver: WebhookReceiver, hooks: readonly Hook[]): Promise<boolean> {
  for (const hook of hooks) {
    if ((await receiver.whyCallsMayDiffer(hook)) !== undefined) return false;
  }
  return true;
}

function isOf({ digit }: Acceptance, reply: HookReply | undefined): boolean {
  return typeof reply === "number" && Math.floor(reply / 100) === digit;
}

/** Whether a call was made twice. Of a job that was retried each end has a call of its own. */
function isRepeated({ attempts }: Hook): boolean {
  return new Set(attempts.map(({ text }) => text)).size < attempts.length;
}

interface Span {
  readonly sinceMs: number;
  readonly nowMs: number;
}

/** Whether its only call failed long ago, and since a moment. */
function isOverdue({ attempts, answered }: Hook, { sinceMs, nowMs }: Span): boolean {
  const [first] = attempts;
  // One that is left without an answer is awaited for as long as the server likes.
  const isAwaited = answered[0] === "silence";
  if (first === undefined || attempts.length > 1 || answered[0] === 200 || isAwaited) return false;
  return first.at.earliestMs > sinceMs && nowMs - first.at.latestMs > overdueMs;
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

function learnAccepted(
  discovery: Discovery,
  acceptance: Acceptance,
  accepted: readonly Hook[],
): void {
  const { id, what, digit } = acceptance;
  const replies = [...new Set(accepted.map(({ answered }) => String(answered[0])))];
  const answered = new RegExp(`answered ${digit}\\d\\d`);
  discovery.learn({
    id,
    topic: "webhooks",
    text: `${what} acknowledges a call of a webhook: none that was answered ${replies.join(", ")} was made again`,
    adapted: "what is said of calls that were answered so is told under it",
    breaks: ["HOOK-07"],
    expected: "the call to be made again, since only 200 acknowledges it",
    got: "no more calls",
    explains: (mismatch) =>
      ofFailedCalls.has(mismatch.requirement) &&
      isOfMissingCall(mismatch) &&
      answered.test(mismatch.at),
    seen: [],
  });
}

/** They tell of the calls that follow those which were not acknowledged. */
const ofFailedCalls: ReadonlySet<string> = new Set(["HOOK-04", "HOOK-07"]);

/** They tell what follows from the answer to a call, of which nothing follows. */
const ofLaterCalls: ReadonlySet<string> = new Set(["HOOK-05", "HOOK-06", "HOOK-07"]);

function isOfMissingCall({ expected, got }: Mismatch): boolean {
  if (expected === "true") return got === "false";
  return Number(got) < Number(expected);
}

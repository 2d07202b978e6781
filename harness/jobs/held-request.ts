import { setTimeout as sleep } from "node:timers/promises";

import { monotonicNowMs } from "../../client/exchange.ts";
import type { CallOptions } from "../../client/job-client.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { Expectations } from "../expect.ts";
import type { EndpointHandle } from "../endpoint/clock-modes.ts";
import type { Interval } from "../interval.ts";
import { Stopped, Inconclusive } from "../outcome.ts";
import { isSuccess, readBody } from "../read.ts";
import { createDeferred } from "../deferred.ts";

/** Longer than the longest wait (300 s) and whatever a slow target adds. */
const requestTimeoutMs = 400_000;
/** How long an answer that has been sent may take to reach us. Virtual time stands still meanwhile. */
const deliveryMs = 2000;
const arrivalMs = 5000;

/** A request that may be answered only after some of the endpoint's time. Never awaited without a bound. */
export class HeldRequest {
  /** The moment at which the target took it. */
  readonly takenAt: Interval;
  readonly #handle: EndpointHandle;
  readonly #state: SentRequest;

  constructor(handle: EndpointHandle, state: SentRequest, takenAt: Interval) {
    this.#handle = handle;
    this.#state = state;
    this.takenAt = takenAt;
  }

  /** Lets time pass and says whether the answer surely came before the request was `ageMs` old. */
  async answeredBefore(ageMs: number): Promise<boolean> {
    const { api, time } = this.#handle;
    if (time.virtual) {
      await time.before(this.takenAt, ageMs, async () => api.health());
      await time.settle();
      return this.#state.exchange !== undefined;
    }
    const exchange = await this.#answerWithin(ageMs);
    return exchange !== undefined && exchange.answeredAtMs - exchange.sentAtMs < ageMs;
  }

  /** Expects that no answer comes before the request is `ageMs` old; whoever reads the answer tells of a refusal. */
  async expectHeld(expect: Expectations, ageMs: number, at: string): Promise<void> {
    const isEarly = await this.answeredBefore(ageMs);
    const answer = this.#state.exchange?.answer;
    if (isEarly && answer !== undefined && !isSuccess(answer)) return;
    expect.equal(isEarly, false, at);
  }

  /**
   * Waits for the answer for at most `withinMs` more of the endpoint's time. If none comes, records that, breaks the
   * request off and stops the check.
   */
  async answer(expect: Expectations, at: string, withinMs = 0): Promise<Exchange> {
    const exchange = await this.#await(withinMs);
    expect.that(exchange !== undefined, { at, expected: "an answer", got: "no answer" });
    if (exchange !== undefined) return exchange;
    this.#state.controller.abort();
    throw new Stopped(`${at}: no answer`);
  }

  async #await(withinMs: number): Promise<Exchange | undefined> {
    const { time } = this.#handle;
    if (time.virtual) {
      if (withinMs > 0) await time.pass(withinMs);
      return deliveredWithin(this.#state.answered, deliveryMs);
    }
    return this.#answerWithin(withinMs);
  }

  /** Waits on a real clock. */
  async #answerWithin(ms: number): Promise<Exchange | undefined> {
    return this.#handle.time.until(
      async () => Promise.resolve(this.#state.seen()),
      (seen) => seen !== undefined,
      ms,
    );
  }
}

/** A request that was sent, and its exchange once it has one. */
class SentRequest {
  readonly controller: AbortController;
  readonly answered: Promise<Exchange>;
  exchange: Exchange | undefined;
  #rejection: { readonly reason: unknown } | undefined;

  constructor(controller: AbortController, answer: Promise<Exchange>) {
    this.controller = controller;
    this.answered = this.#note(answer);
  }

  async #note(answer: Promise<Exchange>): Promise<Exchange> {
    try {
      this.exchange = await answer;
      return this.exchange;
    } catch (reason) {
      this.#rejection = { reason };
      throw reason;
    }
  }

  /** Its exchange so far. @throws whatever it was rejected with: nothing was sent then */
  seen(): Exchange | undefined {
    if (this.#rejection !== undefined) throw this.#rejection.reason;
    return this.exchange;
  }
}

/**
 * Sends a submission and returns when the target has it. A virtual clock must not be moved before that, so there health
 * is read until it counts one job more.
 * @throws Inconclusive where health does not show the job and no answer comes
 */
export async function holdSubmission(
  handle: EndpointHandle,
  send: (options: CallOptions) => Promise<Exchange>,
): Promise<HeldRequest> {
  const unfinishedBefore = handle.time.virtual ? await unfinishedCount(handle) : undefined;
  const controller = new AbortController();
  const sent = createDeferred();
  const options = {
    timeoutMs: requestTimeoutMs,
    signal: controller.signal,
    onSend: sent.resolve,
  };
  const state = new SentRequest(controller, send(options));
  await Promise.race([sent.promise, state.answered]);
  if (unfinishedBefore !== undefined) await arrival(handle, state, unfinishedBefore);
  // On a real clock the moment of sending is early enough: what is sure about an age is counted from the exchange.
  return new HeldRequest(handle, state, handle.time.now());
}

/** Holds a runsync as `holdSubmission` does. Without a `wait` the request has none. */
export async function holdRunsync(
  handle: EndpointHandle,
  input: unknown,
  wait: { readonly wait?: number } = {},
): Promise<HeldRequest> {
  return holdSubmission(handle, async (options) =>
    handle.api.runsync({ input }, { ...wait, ...options }),
  );
}

async function arrival(
  handle: EndpointHandle,
  state: SentRequest,
  unfinishedBefore: number,
): Promise<void> {
  const endMs = monotonicNowMs() + arrivalMs;
  for (let pauseMs = 0; monotonicNowMs() < endMs; pauseMs = Math.min(50, pauseMs + 1)) {
    if (state.exchange !== undefined) return;
    if ((await unfinishedCount(handle)) > unfinishedBefore) return;
    await sleep(pauseMs);
  }
  state.controller.abort();
  throw new Inconclusive("a submission was neither answered nor seen in health");
}

async function unfinishedCount({ api }: EndpointHandle): Promise<number> {
  const health = readBody(await api.health(), "HealthAnswer");
  if (!health.ok)
    throw new Inconclusive(`could not read from health whether a job arrived: ${health.got}`);
  const { inQueue, inProgress } = health.body.jobs;
  return inQueue + inProgress;
}

async function deliveredWithin<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const cancelled = new AbortController();
  const late = sleep(ms, undefined, { signal: cancelled.signal }).catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    cancelled.abort();
  }
}

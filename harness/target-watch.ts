import { setTimeout as sleep } from "node:timers/promises";

import { monotonicNowMs, printable } from "../client/index.ts";
import type { TransportResult } from "../client/index.ts";
import type { Outage, TargetGone } from "../reports/model.ts";

/** A request of the run, as a report names it. */
export interface WatchedCall {
  /** Method and path, such as `POST /v2/abc/run`. */
  readonly request: string;
  readonly check: string;
}

export interface TargetWatchOptions {
  /** How long one answer may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Sends any request with this time-out in milliseconds: any answer shows that the target is there. */
  readonly probe: (withinMs: number) => Promise<TransportResult>;
  /** Called when the target has answered nothing for too long. */
  readonly onGone: (gone: TargetGone) => void;
  /** Called when the target was away and answers again. */
  readonly onBack: (outage: Outage) => void;
  readonly startedAtMs: number;
}

/** A target that answered nothing for so long is gone: the run ends within 10 s of the last answer. */
const silenceMsMax = 9000;
/** After so long without any answer to requests under way, the target is probed. */
const quietMsMax = 4000;
/** How long probing lasts at least, because this process may have been late itself. */
const probingMsMin = 5000;
/** A probe that ends this long after its time-out shows that this process was late. */
const latenessMsMax = 1000;
const probePauseMs = 200;
/** One lost probe may be chance; so many in a row are an outage. */
const lostProbesMin = 3;

/** Watches whether the target is there: when it last answered, when it went away, and when it came back. */
export class TargetWatch {
  readonly #options: TargetWatchOptions;
  readonly #closing = new AbortController();
  readonly #underWay = new Set<WatchedCall>();
  readonly #timer: NodeJS.Timeout;
  #lastAnswerAtMs: number;
  /** When the last answered request was sent, and the last one whose connection was refused. */
  #answeredSentAtMs = -Infinity;
  #refusedAtMs = -Infinity;
  #isGone = false;
  #probing: Promise<boolean> | undefined;

  constructor(options: TargetWatchOptions) {
    this.#options = options;
    this.#lastAnswerAtMs = monotonicNowMs();
    this.#timer = setInterval(() => this.#probeIfQuiet(), quietMsMax / 4).unref();
  }

  /** Has to be called when a request is sent; returns a function to be called with its result. */
  sent(call: WatchedCall): (result: TransportResult) => void {
    this.#underWay.add(call);
    return (result) => {
      this.#underWay.delete(call);
      this.note(result);
    };
  }

  /** Has to be called with every result that is not reported through `sent`. */
  note({ answer, failure, sentAtMs }: TransportResult): void {
    if (answer !== undefined) this.noteAnswer(sentAtMs);
    // The moment of sending, because a busy process may read a refusal when the target has long been back.
    if (failure?.kind === "refused") this.#refusedAtMs = Math.max(this.#refusedAtMs, sentAtMs);
  }

  /** Has to be called with every answer whose result is not reported; `sentAtMs` is when its request was sent. */
  noteAnswer(sentAtMs = monotonicNowMs()): void {
    this.#lastAnswerAtMs = monotonicNowMs();
    this.#answeredSentAtMs = Math.max(this.#answeredSentAtMs, sentAtMs);
  }

  /** Whether the target has answered since; not by an answer to a request from before the last refused one. */
  #hasAnsweredSince(ms: number): boolean {
    return this.#lastAnswerAtMs > ms && this.#answeredSentAtMs >= this.#refusedAtMs;
  }

  /**
   * Waits until it is known whether the target has answered anything since a request failed.
   * @param why what became of the request
   */
  async isThere(call: WatchedCall, failedAtMs: number, why = ""): Promise<boolean> {
    if (this.#isGone) return false;
    if (this.#hasAnsweredSince(failedAtMs)) return true;
    this.#probing ??= this.#probeUntilAnswered(call, why).finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  /** Stops watching, and probing. */
  close(): void {
    clearInterval(this.#timer);
    this.#closing.abort();
  }

  #probeIfQuiet(): void {
    const [oldest] = this.#underWay;
    const nowMs = monotonicNowMs();
    if (oldest === undefined || nowMs - this.#lastAnswerAtMs < quietMsMax) return;
    void this.isThere(oldest, nowMs, "no answer yet");
  }

  async #probeUntilAnswered(call: WatchedCall, why: string): Promise<boolean> {
    const { probe, timeoutMs } = this.#options;
    const { signal } = this.#closing;
    const begunAtMs = monotonicNowMs();
    const lastAnswerAtMs = this.#lastAnswerAtMs;
    const silenceMs = Math.min(timeoutMs, silenceMsMax);
    let endMs = Math.max(lastAnswerAtMs + silenceMs, begunAtMs + Math.min(timeoutMs, probingMsMin));
    let lostProbes = 0;
    while (monotonicNowMs() < endMs && !signal.aborted) {
      const withinMs = Math.max(1, endMs - monotonicNowMs());
      const askedAtMs = monotonicNowMs();
      const result = await probe(withinMs);
      this.note(result);
      // An answer may have come while this process was busy: it was not read before the probe's time was up.
      const isLate = monotonicNowMs() - askedAtMs > withinMs + latenessMsMax;
      if (isLate) endMs = monotonicNowMs() + Math.min(timeoutMs, probingMsMin);
      if (this.#hasAnsweredSince(begunAtMs)) {
        if (lostProbes >= lostProbesMin || this.#refusedAtMs > lastAnswerAtMs) {
          this.#options.onBack(this.#outage(call, lastAnswerAtMs));
        }
        return true;
      }
      lostProbes += 1;
      await sleep(probePauseMs, undefined, { signal }).catch(() => undefined);
    }
    if (!signal.aborted) this.#end(call, lastAnswerAtMs, why);
    return false;
  }

  #outage({ request, check }: WatchedCall, lastAnswerAtMs: number): Outage {
    const { startedAtMs } = this.#options;
    return {
      lastAnswerAtMs: Math.round(lastAnswerAtMs - startedAtMs),
      backAtMs: Math.round(monotonicNowMs() - startedAtMs),
      request,
      check,
    };
  }

  #end({ request }: WatchedCall, lastAnswerAtMs: number, why: string): void {
    this.#isGone = true;
    const silentMs = Math.round(monotonicNowMs() - lastAnswerAtMs);
    const seconds = (silentMs / 1000).toFixed(1);
    const reason = `the target stopped answering after ${request}: ${printable(why)}; it answered nothing for ${seconds} s`;
    this.#options.onGone({
      request,
      atMs: Math.round(lastAnswerAtMs - this.#options.startedAtMs),
      reason,
    });
  }
}

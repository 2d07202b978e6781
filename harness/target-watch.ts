import { setTimeout as sleep } from "node:timers/promises";

import { monotonicNowMs } from "../client/exchange.ts";
import { printable } from "../client/printable.ts";
import type { FailureKind, TransportResult } from "../client/exchange.ts";
import type { OperationName } from "../openapi/operations.ts";
import type { Outage, TargetGone } from "../reports/model.ts";

/** A request of the run, as a report names it. */
export interface WatchedCall {
  /** Method and path, such as `POST /v2/abc/run`. */
  readonly request: string;
  readonly check: string;
  readonly operation?: OperationName;
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
  /** Called when the target answers again that answered nothing while a call was under way, for so long in milliseconds. */
  readonly onBlocked?: (by: WatchedCall, silentMs: number) => void;
  readonly startedAtMs: number;
  /** When a part of a large body was sent last: meanwhile silence is the line's; absent: never. */
  readonly lastByteAtMs?: () => number;
}

/** A target that refuses or closes fresh connections for so long is gone: the run ends within 10 s of the last answer. */
const refusalMsMax = 9000;
/** What becomes of a fresh connection where nobody listens, or only something that passes connections on. */
const turningAway: ReadonlySet<FailureKind | undefined> = new Set(["refused", "connection"]);
/** How long one probe waits for its answer: several have to be lost before an outage is told. */
const probeMsMax = 3000;
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
  /** The calls under way, with when each was sent. */
  readonly #underWay = new Map<WatchedCall, number>();
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
    this.#underWay.set(call, monotonicNowMs());
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
    const oldest = this.#firstUnanswered();
    const nowMs = monotonicNowMs();
    const lastSignAtMs = Math.max(this.#lastAnswerAtMs, this.#lastByteAtMs);
    if (oldest === undefined || nowMs - lastSignAtMs < quietMsMax) return;
    void this.isThere(oldest, nowMs, "no answer yet");
  }

  /** The oldest call since the target last answered: what is older, such as a runsync, may be held on purpose. */
  #firstUnanswered(): WatchedCall | undefined {
    const calls = [...this.#underWay];
    const sentLately = calls.find(([, sentAtMs]) => sentAtMs >= this.#lastAnswerAtMs - quietMsMax);
    return (sentLately ?? calls[0])?.[0];
  }

  async #probeUntilAnswered(call: WatchedCall, why: string): Promise<boolean> {
    const { probe, timeoutMs } = this.#options;
    const { signal } = this.#closing;
    const begunAtMs = monotonicNowMs();
    const lastAnswerAtMs = this.#lastAnswerAtMs;
    let earliestEndMs = begunAtMs + Math.min(timeoutMs, probingMsMin);
    let isTurnedAway = this.#refusedAtMs > lastAnswerAtMs;
    let lostProbes = 0;
    const leftMs = (): number =>
      Math.max(this.#silenceEndMs(lastAnswerAtMs, isTurnedAway), earliestEndMs) - monotonicNowMs();
    while (leftMs() > 0 && !signal.aborted) {
      const withinMs = Math.max(1, Math.min(leftMs(), probeMsMax));
      const askedAtMs = monotonicNowMs();
      const result = await probe(withinMs);
      this.note(result);
      isTurnedAway = turningAway.has(result.failure?.kind);
      // An answer may have come while this process was busy: it was not read before the probe's time was up.
      const isLate = monotonicNowMs() - askedAtMs > withinMs + latenessMsMax;
      if (isLate) earliestEndMs = monotonicNowMs() + Math.min(timeoutMs, probingMsMin);
      if (this.#hasAnsweredSince(begunAtMs)) {
        this.#tellBack(call, lastAnswerAtMs, lostProbes);
        return true;
      }
      // What is still being sent keeps a probe from arriving.
      if (this.#lastByteAtMs < askedAtMs) lostProbes += 1;
      await sleep(probePauseMs, undefined, { signal }).catch(() => undefined);
    }
    if (!signal.aborted) this.#end(call, lastAnswerAtMs, why);
    return false;
  }

  /** Tells that the target answers again, where it was away or kept from answering. */
  #tellBack(call: WatchedCall, lastAnswerAtMs: number, lostProbes: number): void {
    const { onBack, onBlocked } = this.#options;
    const wasRefused = this.#refusedAtMs > lastAnswerAtMs;
    if (lostProbes > 0 && !wasRefused) onBlocked?.(call, monotonicNowMs() - lastAnswerAtMs);
    if (lostProbes >= lostProbesMin || wasRefused) onBack(this.#outage(call, lastAnswerAtMs));
  }

  get #lastByteAtMs(): number {
    return this.#options.lastByteAtMs?.() ?? -Infinity;
  }

  /** Until when a silence may last before the target is gone. */
  #silenceEndMs(lastAnswerAtMs: number, isTurnedAway: boolean): number {
    const { timeoutMs } = this.#options;
    const silenceMs = isTurnedAway ? Math.min(timeoutMs, refusalMsMax) : timeoutMs;
    return Math.max(lastAnswerAtMs, this.#lastByteAtMs) + silenceMs;
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

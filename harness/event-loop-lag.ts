import { monotonicNowMs } from "../client/exchange.ts";
import type { Interval } from "./interval.ts";

const beatMs = 20;
/** A longer gap between two beats shows that this process was stopped, or did not get the processor. */
const gapMsMax = 500;

/**
 * Tells since when something that is seen now may have been there, and for how long this process has seen nothing. A busy
 * process sees late what has come meanwhile; the gaps between the beats of a timer show how late.
 */
export class EventLoopLag {
  readonly #timer: NodeJS.Timeout;
  /** The last three beats, oldest first: after a stall one timer may run before what waited is seen. */
  #beatsMs: readonly [number, number, number];
  #stoppedMs = 0;

  constructor() {
    const nowMs = monotonicNowMs();
    this.#beatsMs = [nowMs, nowMs, nowMs];
    this.#timer = setInterval(() => {
      this.#stoppedMs = this.stoppedMs;
      const [, second, third] = this.#beatsMs;
      this.#beatsMs = [second, third, monotonicNowMs()];
    }, beatMs).unref();
  }

  /** The interval in which something that is seen now came, in milliseconds since the epoch. */
  moment(): Interval {
    return { earliestMs: this.#beatsMs[0], latestMs: monotonicNowMs() };
  }

  /** For how many milliseconds this process did not run, in gaps that were too long for a busy one. */
  get stoppedMs(): number {
    const gapMs = monotonicNowMs() - this.#beatsMs[2];
    return this.#stoppedMs + (gapMs > gapMsMax ? gapMs : 0);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

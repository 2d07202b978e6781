import { monotonicNowMs } from "../../client/exchange.ts";
import type { Interval } from "../interval.ts";

const beatMs = 20;

/**
 * Tells since when something that is seen now may have been there. A busy process sees late what has come meanwhile;
 * the gaps between the beats of a timer show how late.
 */
export class EventLoopLag {
  readonly #timer: NodeJS.Timeout;
  /** The last three beats, oldest first: after a stall one timer may run before what waited is seen. */
  #beatsMs: readonly [number, number, number];

  constructor() {
    const nowMs = monotonicNowMs();
    this.#beatsMs = [nowMs, nowMs, nowMs];
    this.#timer = setInterval(() => {
      const [, second, third] = this.#beatsMs;
      this.#beatsMs = [second, third, monotonicNowMs()];
    }, beatMs).unref();
  }

  /** The interval in which something that is seen now came, in milliseconds since the epoch. */
  moment(): Interval {
    return { earliestMs: this.#beatsMs[0], latestMs: monotonicNowMs() };
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

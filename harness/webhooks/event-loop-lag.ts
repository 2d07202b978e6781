import { monotonicNowMs } from "../../client/index.ts";
import type { Interval } from "../interval.ts";

const beatMs = 20;

/**
 * Says since when something that is seen now may have been there. This process is busy at times, and what arrives
 * meanwhile is seen late; a timer that beats all the while shows by its gaps how late.
 */
export class EventLoopLag {
  readonly #timer: NodeJS.Timeout;
  /** The last three beats, oldest first: a stall lets one timer run before what waited is seen. */
  #beatsMs: readonly [number, number, number];

  constructor() {
    const nowMs = monotonicNowMs();
    this.#beatsMs = [nowMs, nowMs, nowMs];
    this.#timer = setInterval(() => {
      const [, second, third] = this.#beatsMs;
      this.#beatsMs = [second, third, monotonicNowMs()];
    }, beatMs).unref();
  }

  /** Between whose ends lies what is seen now, in milliseconds since the epoch. */
  moment(): Interval {
    return { earliestMs: this.#beatsMs[0], latestMs: monotonicNowMs() };
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

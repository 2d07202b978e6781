import { monotonicNowMs } from "../../client/index.ts";
import type { Interval } from "../interval.ts";

const beatMs = 20;
/** To take a call in, and to answer it, needs several turns of the process. */
const beatsKept = 5;
/** What they take at most where no call waits for longer than a hasty sender does. */
const usualMsMax = 250;

/**
 * Says since when something that is seen now may have been there. This process is busy at times, and what arrives
 * meanwhile is seen late; a timer that beats all the while shows by its gaps how late.
 */
export class EventLoopLag {
  readonly #timer: NodeJS.Timeout;
  /** Oldest first. */
  readonly #beatsMs: number[];
  #stalledUntilMs = 0;

  constructor() {
    this.#beatsMs = Array.from({ length: beatsKept }, () => monotonicNowMs());
    this.#timer = setInterval(() => {
      this.#noteStall();
      this.#beatsMs.shift();
      this.#beatsMs.push(monotonicNowMs());
    }, beatMs).unref();
  }

  /**
   * Between whose ends lies what is seen now, in milliseconds since the epoch. Two beats before the last one count, too: a
   * stall lets one timer run before what waited is seen.
   */
  moment(): Interval {
    return { earliestMs: this.#beatsMs.at(-3) ?? 0, latestMs: monotonicNowMs() };
  }

  /** Whether the process was so busy since a moment, in milliseconds since the epoch, that others may have given up. */
  wasStalledSince(ms: number): boolean {
    this.#noteStall();
    return this.#stalledUntilMs > ms;
  }

  #noteStall(): void {
    const [oldestMs = 0] = this.#beatsMs;
    const nowMs = monotonicNowMs();
    if (nowMs - oldestMs >= usualMsMax) this.#stalledUntilMs = nowMs;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

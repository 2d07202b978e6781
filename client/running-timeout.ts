import { monotonicNowMs } from "./exchange.ts";

/** The time is counted in steps of this length. */
const stepMs = 1000;
/** A step that ends later than this shows that the process was stopped or did not get the processor. */
const latenessMsMax = 1000;

/**
 * Calls back once this process has run for so many milliseconds. While it is stopped, asleep with its machine or without
 * a processor, what others sent to it lies unread, and that is no silence of theirs: a step that ends late counts as
 * one, and none is the last one that ended late, unless it is the second time.
 */
export class RunningTimeout {
  readonly #callback: () => void;
  #leftMs: number;
  #stepEndMs = 0;
  #timer: NodeJS.Timeout;
  #isProlonged = false;

  constructor(callback: () => void, ms: number) {
    this.#callback = callback;
    this.#leftMs = ms;
    this.#timer = this.#nextStep();
  }

  /** After this it never calls back. Returns how many milliseconds were left. */
  clear(): number {
    clearTimeout(this.#timer);
    const stepLeftMs = Math.max(0, this.#stepEndMs - monotonicNowMs());
    return Math.max(0, this.#leftMs - stepMs) + Math.min(stepLeftMs, this.#leftMs);
  }

  #nextStep(): NodeJS.Timeout {
    const lengthMs = Math.min(this.#leftMs, stepMs);
    this.#stepEndMs = monotonicNowMs() + lengthMs;
    return setTimeout(() => {
      this.#leftMs -= lengthMs;
      const isLate = monotonicNowMs() - this.#stepEndMs > latenessMsMax;
      if (this.#leftMs <= 0 && isLate && !this.#isProlonged) {
        this.#isProlonged = true;
        this.#leftMs = stepMs;
      }
      if (this.#leftMs > 0) this.#timer = this.#nextStep();
      else this.#callback();
    }, lengthMs);
  }
}

import { setTimeout as pause } from "node:timers/promises";
import { monotonicNowMs } from "../../client/exchange.ts";

const abandonedPollMs = 100;

/**
 * Whether the jobs of the run may keep all workers of a shared endpoint busy, so that a job waits for those of other
 * checks and not by the target's fault. A job counts until it was seen to have ended.
 */
export class Occupancy {
  readonly #workers: number;
  #jobs = 0;
  #crowdedMs = 0;
  #crowdedSinceMs: number | undefined;
  /** How many jobs nobody waits for may still work. */
  abandoned = 0;

  constructor(workers: number) {
    this.#workers = Math.max(1, workers);
  }

  /** Has to be called when jobs were added or, with a negative number, have ended. */
  add(jobs: number): void {
    this.#crowdedMs = this.crowdedMs;
    this.#jobs += jobs;
    this.#crowdedSinceMs = this.#jobs > this.#workers ? monotonicNowMs() : undefined;
  }

  /** Has to be called with jobs of a check that has ended and could not end them: they may work for so long yet. */
  abandon(jobs: number, forMs: number): void {
    if (jobs === 0) return;
    this.abandoned += jobs;
    this.add(jobs);
    setTimeout(() => {
      this.abandoned -= jobs;
      this.add(-jobs);
    }, forMs).unref();
  }

  /** Waits for the jobs that nobody waits for, at most so long. */
  async untilNoneIsAbandoned(withinMs: number, signal: AbortSignal | undefined): Promise<void> {
    const untilMs = monotonicNowMs() + withinMs;
    while (this.abandoned > 0 && monotonicNowMs() < untilMs) {
      await pause(abandonedPollMs, undefined, { signal });
    }
  }

  /** For how long there have been more jobs than workers, in milliseconds since the run began. */
  get crowdedMs(): number {
    if (this.#crowdedSinceMs === undefined) return this.#crowdedMs;
    return this.#crowdedMs + monotonicNowMs() - this.#crowdedSinceMs;
  }
}

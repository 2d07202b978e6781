import { monotonicNowMs } from "../../client/index.ts";

/**
 * Whether the jobs of the run may keep all workers of a shared endpoint busy, so that a job waits for those of other
 * checks and not by the target's fault. A job counts until it was seen to have ended.
 */
export class Occupancy {
  readonly #workers: number;
  #jobs = 0;
  #crowdedMs = 0;
  #crowdedSinceMs: number | undefined;

  constructor(workers: number) {
    this.#workers = Math.max(1, workers);
  }

  /** Has to be called when jobs were added or, with a negative number, have ended. */
  add(jobs: number): void {
    this.#crowdedMs = this.crowdedMs;
    this.#jobs += jobs;
    this.#crowdedSinceMs = this.#jobs > this.#workers ? monotonicNowMs() : undefined;
  }

  /** For how long there have been more jobs than workers, in milliseconds since the run began. */
  get crowdedMs(): number {
    if (this.#crowdedSinceMs === undefined) return this.#crowdedMs;
    return this.#crowdedMs + monotonicNowMs() - this.#crowdedSinceMs;
  }
}

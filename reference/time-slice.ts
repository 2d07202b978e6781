import { setImmediate as others } from "node:timers/promises";

/** How long work goes on before others have their turn, in milliseconds. */
const sliceMs = 20;

/** Long work in time slices, so that a server goes on answering meanwhile. */
export class TimeSlice {
  #startedAtMs = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#startedAtMs > sliceMs;
  }

  /** Lets everything else that waits go first. */
  async next(): Promise<void> {
    await others();
    this.#startedAtMs = performance.now();
  }
}

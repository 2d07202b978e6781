import { TimeLeft } from "../../cli/progress/time-left.ts";
import type { RunEvent } from "../../harness/run-events.ts";

/** Follows a run and notes by how much the time left that it shows is wrong. */
export class TimeLeftError {
  readonly #beganMs: number;
  readonly #timeLeft = new TimeLeft();
  readonly #shown: { readonly atMs: number; readonly untilMs: number }[] = [];

  /** @param nowMs when the run begins, in milliseconds since 1970 */
  constructor(nowMs: number) {
    this.#beganMs = nowMs;
  }

  follow(event: RunEvent, nowMs: number): void {
    this.#timeLeft.follow(event, nowMs);
    // Once a time was shown, none means that nothing of the plan is left.
    const untilMs = this.#timeLeft.untilMs ?? (this.#shown.length > 0 ? nowMs : undefined);
    if (untilMs !== undefined) this.#shown.push({ atMs: nowMs, untilMs });
  }

  /** The largest error after the first third of a run that ends now, as a share of its length. */
  worstShare(nowMs: number): number {
    const lengthMs = nowMs - this.#beganMs;
    const errors = this.#shown
      .filter(({ atMs }) => atMs >= this.#beganMs + lengthMs / 3)
      .map(({ untilMs }) => Math.abs(untilMs - nowMs));
    return Math.max(0, ...errors) / lengthMs;
  }
}

import type { LoadCounts } from "../load-watch.ts";

interface Look {
  readonly atMs: number;
  readonly sent: number;
}

/** The period over which the rate is measured. */
const rateOverMs = 1_000;

/** Describes the current load in a few words: rate, accepted, refused, in flight. */
export class LoadLine {
  #counts: Readonly<LoadCounts> | undefined;
  readonly #looks: Look[] = [];

  follow(counts: Readonly<LoadCounts>): void {
    this.#counts = counts;
  }

  /** @param nowMs the time on a monotonic clock. */
  text(nowMs = performance.now()): string {
    const counts = this.#counts;
    if (counts === undefined || counts.sent === 0) return "";
    const { sent, over, accepted, refused } = counts;
    const rate = `${this.#rate(sent, nowMs)}/s`;
    return `${rate}, ${accepted} accepted, ${refused} refused, ${sent - over} in flight`;
  }

  /** Requests per second, over about the last second. */
  #rate(sent: number, nowMs: number): number {
    this.#looks.push({ atMs: nowMs, sent });
    while ((this.#looks[1]?.atMs ?? nowMs) <= nowMs - rateOverMs) this.#looks.shift();
    const [first] = this.#looks;
    const overMs = Math.max(rateOverMs, nowMs - (first?.atMs ?? nowMs));
    return Math.round(((sent - (first?.sent ?? sent)) * 1_000) / overMs);
  }
}

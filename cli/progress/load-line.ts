import type { K6Progress } from "../../load/k6/index.ts";
import type { LoadCounts } from "../load-watch.ts";

interface Look {
  readonly atMs: number;
  readonly sent: number;
}

/** How far back the rate looks. */
const rateOverMs = 1_000;

/** What load is being sent, in a few words: rate, accepted, refused, in flight. */
export class LoadLine {
  #counts: Readonly<LoadCounts> | undefined;
  #k6: K6Progress | undefined;
  readonly #looks: Look[] = [];

  follow(counts: Readonly<LoadCounts>): void {
    this.#counts = counts;
  }

  followK6(progress: K6Progress): void {
    this.#k6 = progress;
  }

  /** @param nowMs of a monotonic clock. */
  text(nowMs = performance.now()): string {
    const counts = this.#counts;
    const k6 = this.#k6;
    if (k6 !== undefined) {
      return `k6: ${this.#rate(k6.done, nowMs)}/s, ${k6.done} done, ${k6.busy} in flight`;
    }
    if (counts === undefined || counts.sent === 0) return "";
    const { sent, answered, accepted, refused } = counts;
    const rate = `${this.#rate(sent, nowMs)}/s`;
    return `${rate}, ${accepted} accepted, ${refused} refused, ${sent - answered} in flight`;
  }

  /** Requests per second, over about the last second. */
  #rate(sent: number, nowMs: number): number {
    const last = this.#looks.at(-1);
    // k6 counts anew.
    if (last !== undefined && sent < last.sent) this.#looks.length = 0;
    this.#looks.push({ atMs: nowMs, sent });
    while ((this.#looks[1]?.atMs ?? nowMs) <= nowMs - rateOverMs) this.#looks.shift();
    const [first] = this.#looks;
    const overMs = Math.max(rateOverMs, nowMs - (first?.atMs ?? nowMs));
    return Math.round(((sent - (first?.sent ?? sent)) * 1_000) / overMs);
  }
}

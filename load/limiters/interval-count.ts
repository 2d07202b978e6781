import type { TracedRequest } from "./trace.ts";

/** Counts requests of which only the interval is known in which each was counted, from sending to answer. */
export class IntervalCount {
  readonly size: number;
  readonly #sent: Float64Array;
  readonly #answered: Float64Array;
  readonly #overlapMs: number;

  /** @param overlapMs by how much two intervals overlap on the trace's clock if one ended as the other began. */
  constructor(requests: readonly TracedRequest[], overlapMs: number) {
    this.size = requests.length;
    this.#overlapMs = overlapMs;
    this.#sent = Float64Array.from(requests, ({ sentMs }) => sentMs).toSorted();
    this.#answered = Float64Array.from(requests, ({ answeredMs }) => answeredMs).toSorted();
  }

  /** How many were counted between two moments for certain, both included; never too many. */
  surely(fromMs: number, toMs: number): number {
    return Math.max(0, countUpTo(this.#answered, toMs) - countLess(this.#sent, fromMs));
  }

  /** The same without the first moment: what a window of that length still holds at its end. */
  surelyAfter(fromMs: number, toMs: number): number {
    return Math.max(0, countUpTo(this.#answered, toMs) - countUpTo(this.#sent, fromMs));
  }

  /** How many may have been counted between two moments; never too few. */
  possibly(fromMs: number, toMs: number): number {
    return Math.max(0, countUpTo(this.#sent, toMs) - countLess(this.#answered, fromMs));
  }

  /** How many may have been counted from `fromMs` on and before a request that was answered at `answeredMs`. */
  possiblyBefore(fromMs: number, answeredMs: number): number {
    return Math.max(0, this.sentBefore(answeredMs) - countLess(this.#answered, fromMs));
  }

  /** How many were sent before an answer came. */
  sentBefore(answeredMs: number): number {
    return countUpTo(this.#sent, answeredMs - this.#overlapMs);
  }

  answeredUpTo(ms: number): number {
    return countUpTo(this.#answered, ms);
  }

  /** How many were sent earlier than a moment. */
  sentEarlierThan(ms: number): number {
    return countLess(this.#sent, ms);
  }

  sentUpTo(ms: number): number {
    return countUpTo(this.#sent, ms);
  }

  /** How many had their answer earlier than a moment. */
  answeredEarlierThan(ms: number): number {
    return countLess(this.#answered, ms);
  }

  /** How many had their answer when a request was sent. */
  answeredBefore(sentMs: number): number {
    return countLess(this.#answered, sentMs + this.#overlapMs);
  }
}

/** How many of sorted values are less. */
export function countLess(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? Infinity) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of sorted values are not more. */
export function countUpTo(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? Infinity) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * A moment as it can be known from outside: somewhere between two readings of a clock, in milliseconds of the
 * endpoint's clock. On a virtual clock both are the same; on a real one it lies between the moment a request was
 * sent and the moment its answer came.
 */
export interface Interval {
  readonly earliestMs: number;
  readonly latestMs: number;
}

/** How long after `from` the moment `to` lies: at least and at most. */
export function ageBetween(from: Interval, to: Interval): Interval {
  return {
    earliestMs: to.earliestMs - from.latestMs,
    latestMs: to.latestMs - from.earliestMs,
  };
}

/** From the beginning of the one to the end of the other. */
export function spanning(first: Interval, last: Interval): Interval {
  return { earliestMs: first.earliestMs, latestMs: last.latestMs };
}

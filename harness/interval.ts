/**
 * A moment that is known only to lie between two readings of the endpoint's clock, in milliseconds. On a virtual clock
 * the two are the same; on a real one they are when a request was sent and when its answer came.
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

/** The interval from the beginning of `first` to the end of `last`. */
export function spanning(first: Interval, last: Interval): Interval {
  return { earliestMs: first.earliestMs, latestMs: last.latestMs };
}

import type { TimeSpread } from "../model.ts";

/** Upper edges of the histogram's bars: 1, 2 and 5 in every decade from 10 microseconds to 10 minutes. */
const edgesMs: readonly number[] = [-2, -1, 0, 1, 2, 3, 4, 5]
  .flatMap((power) => [1, 2, 5].map((digit) => Number(`${digit}e${power}`)))
  .concat(1_000_000);

/**
 * Computes percentiles and a histogram of times in milliseconds; undefined where there are none.
 * @param sortedMs Ascending, all finite. Values below 0 count as 0.
 */
export function timeSpread(sortedMs: Float64Array): TimeSpread | undefined {
  if (sortedMs.length === 0) return undefined;
  const at = (share: number): number => rounded(Math.max(0, nearestRank(sortedMs, share) ?? 0));
  return {
    count: sortedMs.length,
    p50Ms: at(0.5),
    p90Ms: at(0.9),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    maxMs: at(1),
    histogram: histogram(sortedMs),
  };
}

/** Returns the smallest value that at least `share` of all values do not exceed. */
export function nearestRank(sorted: Float64Array, share: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

/** Rounds to microseconds, which is finer than any clock that measured them. */
export function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function histogram(sortedMs: Float64Array): TimeSpread["histogram"] {
  const uptoMs: number[] = [];
  const counts: number[] = [];
  let done = 0;
  for (const edge of edgesMs) {
    const upto = edge === edgesMs.at(-1) ? sortedMs.length : countUpto(sortedMs, edge);
    const skipsTheEmptyStart = upto === 0 && uptoMs.length === 0;
    if (!skipsTheEmptyStart) {
      uptoMs.push(edge);
      counts.push(upto - done);
    }
    done = upto;
    if (done === sortedMs.length) break;
  }
  return { uptoMs, counts };
}

/** Counts the values that are at most `limit`. */
function countUpto(sorted: Float64Array, limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

import type { K6Summary, K6Values } from "../k6/summary.ts";
import type { Series } from "../k6/points.ts";

/**
 * The summary k6 would have written had one process measured all points: counts add up, and
 * percentiles are taken from all values, by linear interpolation at p·(n−1) as k6 does it. Figures
 * per second are left out: points do not say how long the test was.
 */
export function summaryOfPoints(series: ReadonlyMap<string, Series>): K6Summary {
  return new Map([...series].map(([name, each]) => [name, valuesOf(each)]));
}

function valuesOf({ type, values }: Series): K6Values {
  switch (type) {
    case "counter":
      return { count: sumOf(values) };
    case "rate": {
      const passes = values.filter((value) => value !== 0).length;
      return {
        value: values.length === 0 ? 0 : passes / values.length,
        passes,
        fails: values.length - passes,
      };
    }
    case "gauge":
      return { value: values.at(-1) ?? 0, ...extremes(Float64Array.from(values).toSorted()) };
    case "trend":
      return trendOf(Float64Array.from(values).toSorted());
  }
}

const percentiles = [75, 90, 95, 99, 99.9] as const;

function trendOf(sorted: Float64Array): K6Values {
  return {
    ...extremes(sorted),
    avg: sorted.length === 0 ? 0 : sumOf(sorted) / sorted.length,
    med: percentile(sorted, 50),
    ...Object.fromEntries(percentiles.map((each) => [`p${each}`, percentile(sorted, each)])),
  };
}

function extremes(sorted: Float64Array): K6Values {
  return { min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0 };
}

/**
 * @param sorted ascending
 * @param percent 0 to 100
 */
export function percentile(sorted: Float64Array, percent: number): number {
  const place = (percent / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? 0;
  return below + (above - below) * (place - Math.floor(place));
}

function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

import type { Series } from "../k6/points.ts";

/** What all runners of one test measured. */
export interface JoinedSeries {
  readonly series: ReadonlyMap<string, Series>;
  /** From the first runner's start to the last one's; undefined where one does not say when that was. */
  readonly apartMs: number | undefined;
}

/**
 * The values of several runners as if one runner had begun with the first of them: the lateness of a
 * runner that begins later grows by that delay.
 */
export function joinedSeries(runners: readonly ReadonlyMap<string, Series>[]): JoinedSeries {
  const begun = runners.map((series) => series.get("began_at")?.values[0]);
  const firstMs = Math.min(...begun.map((each) => each ?? Infinity));
  const all = new Map<string, Series>();
  for (const [at, own] of runners.entries()) {
    const behindMs = (begun[at] ?? firstMs) - firstMs;
    for (const [name, { type, values }] of own) {
      const series = all.get(name) ?? { type, values: [] };
      const lateByMs = /^lateness(\{|$)/.test(name) ? behindMs : 0;
      for (const value of values) series.values.push(value + lateByMs);
      all.set(name, series);
    }
  }
  const isKnown = begun.every((each) => each !== undefined);
  const lastMs = Math.max(...begun.map((each) => each ?? -Infinity));
  return { series: all, apartMs: isKnown ? lastMs - firstMs : undefined };
}

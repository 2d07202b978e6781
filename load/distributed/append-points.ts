import { appendFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import type { Series } from "../k6/points.ts";

/**
 * Adds what was seen beside k6 to the points it left, in its own form: another member of the same
 * gzip file, which is read as if k6 had written it.
 * @throws Error of Node where the file cannot be written.
 */
export async function appendPoints(file: string, seen: ReadonlyMap<string, Series>): Promise<void> {
  const lines = [...seen].flatMap(([metric, series]) => linesOf(metric, series));
  if (lines.length > 0) await appendFile(file, gzipSync(`${lines.join("\n")}\n`));
}

function linesOf(metric: string, { type, values }: Series): readonly string[] {
  const time = new Date().toISOString();
  const head = { type: "Metric", data: { name: metric, type, submetrics: null }, metric };
  const points = values.map((value) => ({
    metric,
    type: "Point",
    data: { time, value, tags: {} },
  }));
  return [head, ...points].map((line) => JSON.stringify(line));
}

/** What all runners of one test measured. */
interface JoinedSeries {
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

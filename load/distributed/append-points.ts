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

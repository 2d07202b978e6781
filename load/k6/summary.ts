import { isJsonObject } from "../../client/parse-json.ts";
import type { JsonMembers } from "../../client/parse-json.ts";

/** One metric's figures by name: `count`, `rate`, `min`, `med`, `p95`, `max`. Times are milliseconds. */
export type K6Values = Readonly<Record<string, number>>;

/** Metrics by k6's name for them; a part of one is written `http_reqs{phase:at}`. */
export type K6Summary = ReadonlyMap<string, K6Values>;

/**
 * Reads the end-of-test summary in every shape k6 gives it: the export of 1.8 (figures beside the
 * thresholds), what `handleSummary` gets (figures under `values`), and the machine-readable one
 * (a list under `results`).
 * @throws Error where it is none of these.
 */
export function readK6Summary(text: string): K6Summary {
  const summary: unknown = JSON.parse(text);
  if (isJsonObject(summary)) {
    const { results, metrics } = summary;
    if (isJsonObject(results) && Array.isArray(results["metrics"]))
      return fromList(results["metrics"]);
    if (isJsonObject(metrics)) return fromTable(metrics);
  }
  throw new Error("k6 wrote a summary of an unknown shape");
}

/** The count of a metric; 0 where it is absent, for k6 leaves out a counter nothing was added to. */
export function countOf(summary: K6Summary, metric: string): number {
  return summary.get(metric)?.["count"] ?? 0;
}

/** Why a run counts for nothing: it sent no request at all. */
export function unsentReason(summary: K6Summary): string | undefined {
  if (countOf(summary, "http_reqs") > 0) return undefined;
  return "k6 counted 0 http_reqs, at least 1 were wanted";
}

function fromList(metrics: readonly unknown[]): K6Summary {
  const read = new Map<string, K6Values>();
  for (const metric of metrics) {
    if (!isJsonObject(metric) || typeof metric["name"] !== "string") continue;
    read.set(metric["name"], valuesOf(metric["values"]));
  }
  return read;
}

function fromTable(metrics: JsonMembers): K6Summary {
  const read = new Map<string, K6Values>();
  for (const [name, metric] of Object.entries(metrics)) {
    const values =
      isJsonObject(metric) && isJsonObject(metric["values"]) ? metric["values"] : metric;
    read.set(name, valuesOf(values));
  }
  return read;
}

/** Numbers only, under one spelling: `p(95)` of the older shapes is `p95`. */
function valuesOf(values: unknown): K6Values {
  if (!isJsonObject(values)) return {};
  return Object.fromEntries(
    Object.entries(values)
      .filter((entry): entry is [string, number] => typeof entry[1] === "number")
      .map(([name, value]) => [name.replace(/^p\((.+)\)$/, "p$1"), value]),
  );
}

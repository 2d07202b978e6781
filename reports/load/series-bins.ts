import type { LoadSeries } from "./load-model.ts";
import { percentile, rounded } from "./time-spread.ts";

/** The requests of a trace whose time of sending is known. */
export interface Trace {
  readonly sentMs: Float64Array;
  readonly answeredMs: Float64Array;
  readonly latencyMs: Float64Array;
  readonly lateMs?: Float64Array;
  readonly status: Uint16Array;
}

/** The number of the bin in which a moment lies. */
export type BinOf = (ms: number) => number;

export function countBins(
  { sentMs, status }: Trace,
  binOf: BinOf,
  length: number,
): Pick<LoadSeries["bins"], "sent" | "accepted" | "refused"> {
  const [sent, accepted, refused] = [zeros(length), zeros(length), zeros(length)];
  for (const [at, ms] of sentMs.entries()) {
    const bin = binOf(ms);
    const code = status[at] ?? 0;
    raise(sent, bin);
    if (code >= 200 && code < 300) raise(accepted, bin);
    else if (code === 429) raise(refused, bin);
  }
  return { sent, accepted, refused };
}

function zeros(length: number): number[] {
  return Array.from({ length }, () => 0);
}

function raise(counts: number[], at: number, by = 1): void {
  counts[at] = (counts[at] ?? 0) + by;
}

/** An answer of the very moment of a sending came first. */
export function inFlightBins(trace: Trace, binOf: BinOf, length: number): readonly number[] {
  const sent = sortedTimes(trace.sentMs);
  const answered = sortedTimes(trace.answeredMs);
  const most = inFlightAtStart(sent, answered, { binOf, length });
  let done = 0;
  for (const [before, ms] of sent.entries()) {
    while ((answered[done] ?? Number.POSITIVE_INFINITY) <= ms) done += 1;
    const bin = binOf(ms);
    most[bin] = Math.max(most[bin] ?? 0, before + 1 - done);
  }
  return most;
}

/** What earlier bins left in flight. */
function inFlightAtStart(
  sent: Float64Array,
  answered: Float64Array,
  { binOf, length }: { readonly binOf: BinOf; readonly length: number },
): number[] {
  const change = zeros(length);
  for (const ms of sent) raise(change, binOf(ms) + 1);
  for (const ms of answered) raise(change, binOf(ms) + 1, -1);
  let inFlight = 0;
  return change.slice(0, length).map((by) => (inFlight += by));
}

/** Ascending, without those that are unknown. */
export function sortedTimes(values: Float64Array): Float64Array {
  return values.filter((value) => Number.isFinite(value)).toSorted();
}

export function latencyBins(
  { sentMs, latencyMs }: Trace,
  binOf: BinOf,
  length: number,
): Pick<LoadSeries["bins"], "p50Ms" | "p99Ms"> {
  const counts = zeros(length + 1);
  for (const [at, ms] of sentMs.entries()) {
    if (Number.isFinite(latencyMs[at])) raise(counts, binOf(ms));
  }
  const begins = new Uint32Array(length + 1);
  for (let bin = 0; bin < length; bin += 1) {
    begins[bin + 1] = (begins[bin] ?? 0) + (counts[bin] ?? 0);
  }
  const sorted = new Float64Array(begins[length] ?? 0);
  const free = begins.slice();
  for (const [at, ms] of sentMs.entries()) {
    const value = latencyMs[at] ?? Number.NaN;
    if (!Number.isFinite(value)) continue;
    const bin = binOf(ms);
    const place = free[bin] ?? 0;
    sorted[place] = Math.max(0, value);
    free[bin] = place + 1;
  }
  const of = (share: number) => (_: unknown, bin: number) => {
    const value = percentile(sorted.subarray(begins[bin], begins[bin + 1]).toSorted(), share);
    return value === undefined ? null : rounded(value);
  };
  const each = zeros(length);
  return { p50Ms: each.map(of(0.5)), p99Ms: each.map(of(0.99)) };
}

export function latestBins(
  { sentMs, lateMs }: Trace,
  binOf: BinOf,
  length: number,
): readonly (number | null)[] {
  const latest = new Float64Array(length).fill(Number.NaN);
  for (const [at, ms] of sentMs.entries()) {
    const late = rounded(Math.max(0, lateMs?.[at] ?? Number.NaN));
    const bin = binOf(ms);
    if (!(late <= (latest[bin] ?? 0))) latest[bin] = late;
  }
  return Array.from(latest, (ms) => (Number.isNaN(ms) ? null : ms));
}

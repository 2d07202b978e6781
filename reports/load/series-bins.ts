import type { LoadSeries } from "../model.ts";
import { nearestRank } from "./time-spread.ts";

/** The requests of a trace whose sending time is known. */
export interface BinnedTrace {
  readonly sentMs: Float64Array;
  readonly answeredMs: Float64Array;
  readonly latencyMs: Float64Array;
  readonly lateMs?: Float64Array;
  readonly status: Uint16Array;
}

/** Returns for each request the number of the bin in which it was sent. */
export function binNumbers(sentMs: Float64Array, fromMs: number, binMs: number): Uint32Array {
  const bins = new Uint32Array(sentMs.length);
  for (let at = 0; at < sentMs.length; at += 1) {
    bins[at] = Math.floor(((sentMs[at] ?? 0) - fromMs) / binMs);
  }
  return bins;
}

/** Requests sorted into bins by sending time. A trace may hold a million, so the functions here use plain loops. */
export interface Binned extends BinnedTrace {
  readonly binOf: Uint32Array;
  readonly length: number;
  readonly fromMs: number;
  readonly binMs: number;
}

/** Counts how many requests of each bin were sent, accepted and refused, and how many failed: 5xx, or no answer. */
export function countBins({
  status,
  binOf,
  length,
}: Binned): Pick<LoadSeries["bins"], "sent" | "accepted" | "refused" | "failed"> {
  const [sent, accepted, refused] = [zeros(length), zeros(length), zeros(length)];
  const failed = zeros(length);
  for (let at = 0; at < binOf.length; at += 1) {
    const bin = binOf[at] ?? 0;
    const code = status[at] ?? 0;
    raise(sent, bin);
    if (code >= 200 && code < 300) raise(accepted, bin);
    else if (code === 429) raise(refused, bin);
    else if (code === 0 || code >= 500) raise(failed, bin);
  }
  const isAny = failed.some((count) => count > 0);
  return { sent, accepted, refused, ...(isAny && { failed }) };
}

function zeros(length: number): number[] {
  return Array.from({ length }, () => 0);
}

function raise(counts: number[], at: number, by = 1): void {
  counts[at] = (counts[at] ?? 0) + by;
}

/** Finds the most requests in flight in each bin. An answer at the moment of a sending counts as earlier. */
export function inFlightBins(trace: Binned): readonly number[] {
  const sent = sortedIfNeeded(trace.sentMs);
  const answered = sortedTimes(trace.answeredMs);
  const binsOfSent = binNumbers(sent, trace.fromMs, trace.binMs);
  const most = inFlightAtStart(binsOfSent, answered, trace);
  let done = 0;
  for (let before = 0; before < sent.length; before += 1) {
    const ms = sent[before] ?? 0;
    while ((answered[done] ?? Number.POSITIVE_INFINITY) <= ms) done += 1;
    const bin = binsOfSent[before] ?? 0;
    most[bin] = Math.max(most[bin] ?? 0, before + 1 - done);
  }
  return most;
}

/** Counts the requests that are in flight at the start of each bin. */
function inFlightAtStart(
  binsOfSent: Uint32Array,
  answered: Float64Array,
  { length, fromMs, binMs }: Binned,
): number[] {
  const change = zeros(length + 1);
  for (const bin of binsOfSent) raise(change, bin + 1);
  for (const bin of binNumbers(answered, fromMs, binMs)) raise(change, bin + 1, -1);
  let inFlight = 0;
  return change.slice(0, length).map((by) => (inFlight += by));
}

/** Sorts the known times in ascending order and drops unknown ones. */
export function sortedTimes(values: Float64Array): Float64Array {
  const known = new Float64Array(values.length);
  let count = 0;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    known[count] = value;
    count += 1;
  }
  return sortedIfNeeded(known.subarray(0, count));
}

/** Sorts the times only where needed: most traces were recorded in order. */
function sortedIfNeeded(values: Float64Array): Float64Array {
  for (let at = 1; at < values.length; at += 1) {
    if ((values[at] ?? 0) < (values[at - 1] ?? 0)) return values.toSorted();
  }
  return values;
}

/** Computes the median and the 99th percentile of the latencies of each bin. */
export function latencyBins(trace: Binned): Pick<LoadSeries["bins"], "p50Ms" | "p99Ms"> {
  const { length } = trace;
  const { begins, values } = groupedLatencies(trace);
  const p50Ms: (number | null)[] = [];
  const p99Ms: (number | null)[] = [];
  for (let bin = 0; bin < length; bin += 1) {
    const sorted = values.subarray(begins[bin], begins[bin + 1]).toSorted();
    p50Ms.push(briefTime(nearestRank(sorted, 0.5)));
    p99Ms.push(briefTime(nearestRank(sorted, 0.99)));
  }
  return { p50Ms, p99Ms };
}

/** Groups the latencies by bin in one array, in which those of bin n begin at `begins[n]`. */
function groupedLatencies({ latencyMs, binOf, length }: Binned): {
  readonly begins: Uint32Array;
  readonly values: Float64Array;
} {
  const begins = new Uint32Array(length + 1);
  for (let at = 0; at < binOf.length; at += 1) {
    const next = (binOf[at] ?? 0) + 1;
    if (Number.isFinite(latencyMs[at])) begins[next] = (begins[next] ?? 0) + 1;
  }
  for (let bin = 0; bin < length; bin += 1) {
    begins[bin + 1] = (begins[bin + 1] ?? 0) + (begins[bin] ?? 0);
  }
  return { begins, values: placed({ latencyMs, binOf }, begins) };
}

/** Puts each latency into its bin's part of the array. */
function placed(
  { latencyMs, binOf }: Pick<Binned, "latencyMs" | "binOf">,
  begins: Uint32Array,
): Float64Array {
  const values = new Float64Array(begins.at(-1) ?? 0);
  const free = begins.slice();
  for (let at = 0; at < binOf.length; at += 1) {
    const value = latencyMs[at] ?? Number.NaN;
    const bin = binOf[at] ?? 0;
    const place = free[bin] ?? 0;
    if (!Number.isFinite(value)) continue;
    values[place] = Math.max(0, value);
    free[bin] = place + 1;
  }
  return values;
}

/** Finds how late the generator was at most in each bin. */
export function latestBins({ lateMs, binOf, length }: Binned): readonly (number | null)[] {
  const latest = new Float64Array(length).fill(Number.NaN);
  for (let at = 0; at < binOf.length; at += 1) {
    const late = Math.max(0, lateMs?.[at] ?? Number.NaN);
    const bin = binOf[at] ?? 0;
    if (!(late <= (latest[bin] ?? 0))) latest[bin] = late;
  }
  return Array.from(latest, (ms) => briefTime(Number.isNaN(ms) ? undefined : ms));
}

/** Rounds to three significant digits; a plot cannot show more. */
function briefTime(ms: number | undefined): number | null {
  return ms === undefined ? null : Number(ms.toPrecision(3));
}

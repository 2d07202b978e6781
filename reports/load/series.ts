import { boundedLine } from "../bounded.ts";
import type { LoadResult, LoadSamples, LoadSeries, ReportLoad } from "../model.ts";
import {
  binNumbers,
  countBins,
  inFlightBins,
  latencyBins,
  latestBins,
  sortedTimes,
  type Binned,
  type BinnedTrace,
} from "./series-bins.ts";
import { timeSpread } from "./time-spread.ts";

/** Most bins of one trace: two minutes at 100 ms. */
const binsMax = 1200;
/** Most bins of all traces of a report together, so that the report stays small with any number of traces. */
const binsOfAllMax = 14_000;
const tracesMax = 400;
const windowsMax = 200;
const finestBinMs = 100;

/** Turns load results into what a report holds: raw samples are counted into series. */
export function aggregateLoad(results: readonly LoadResult[]): readonly ReportLoad[] {
  const traces = results.reduce((sum, { samples = [] }) => sum + samples.length, 0);
  const bins = Math.max(10, Math.min(binsMax, Math.floor(binsOfAllMax / Math.max(1, traces))));
  let room = tracesMax;
  return results.map(({ samples = [], ...result }) => {
    const kept = samples.slice(0, room);
    room -= kept.length;
    const series = kept.flatMap((each) => seriesOf(each, bins) ?? []);
    return { ...result, ...(series.length > 0 && { series }) };
  });
}

/** Counts one trace into at most `bins` bins; undefined where it holds no request. */
function seriesOf(samples: LoadSamples, bins: number): LoadSeries | undefined {
  const trace = traceOf(samples);
  const count = trace.sentMs.length;
  if (count === 0) return undefined;
  const { fromMs, toMs } = spanOf(trace);
  const binMs = binWidth(toMs - fromMs, bins);
  const binned: Binned = {
    ...trace,
    binOf: binNumbers(trace.sentMs, fromMs, binMs),
    length: Math.floor((toMs - fromMs) / binMs) + 1,
    fromMs,
    binMs,
  };
  const { name, operation, clock, limit, windowMs, windows, cap, bands } = samples;
  const latency = timeSpread(sortedTimes(trace.latencyMs));
  const late = trace.lateMs === undefined ? undefined : timeSpread(sortedTimes(trace.lateMs));
  return {
    name: boundedLine(name),
    ...(operation !== undefined && { operation: boundedLine(operation) }),
    clock,
    requests: count,
    fromMs,
    binMs,
    bins: {
      ...countBins(binned),
      inFlight: inFlightBins(binned),
      ...latencyBins(binned),
      ...(trace.lateMs !== undefined && { lateMs: latestBins(binned) }),
    },
    ...(latency !== undefined && { latency }),
    ...(late !== undefined && { scheduleError: late }),
    ...(limit !== undefined && { limit }),
    ...(windowMs !== undefined && { windowMs }),
    ...(windows !== undefined && { windows: windows.slice(0, windowsMax) }),
    ...(cap !== undefined && { cap }),
    ...(bands !== undefined && { bands }),
  };
}

function traceOf(samples: LoadSamples): BinnedTrace {
  const { intendedMs, sentMs, answeredMs, status } = complete(samples);
  return {
    sentMs,
    answeredMs,
    latencyMs: differences(answeredMs, sentMs),
    ...(intendedMs !== undefined && { lateMs: differences(sentMs, intendedMs) }),
    status,
  };
}

/** Drops requests without a known sending time: they were never sent. */
function complete(samples: LoadSamples): LoadSamples {
  const { sentMs, answeredMs, intendedMs, status } = samples;
  if (sentMs.every(Number.isFinite)) return samples;
  const known = (_: number, at: number): boolean => Number.isFinite(sentMs[at]);
  return {
    ...samples,
    sentMs: sentMs.filter(known),
    answeredMs: answeredMs.filter(known),
    status: status.filter(known),
    ...(intendedMs !== undefined && { intendedMs: intendedMs.filter(known) }),
  };
}

function differences(of: Float64Array, minus: Float64Array): Float64Array {
  const result = new Float64Array(of.length);
  for (let at = 0; at < of.length; at += 1) {
    result[at] = (of[at] ?? Number.NaN) - (minus[at] ?? Number.NaN);
  }
  return result;
}

function spanOf({ sentMs, answeredMs }: BinnedTrace): { fromMs: number; toMs: number } {
  let [fromMs, toMs] = [0, 0];
  for (const ms of sentMs) {
    fromMs = Math.min(fromMs, ms);
    toMs = Math.max(toMs, ms);
  }
  for (const ms of answeredMs) if (ms < Number.POSITIVE_INFINITY) toMs = Math.max(toMs, ms);
  return { fromMs: Math.floor(fromMs / finestBinMs) * finestBinMs, toMs };
}

/** Returns the bin width: the smallest of 100, 200, 500, 1000… ms that needs no more than `bins` bins. */
function binWidth(spanMs: number, bins: number): number {
  for (let decade = finestBinMs; ; decade *= 10) {
    const found = [1, 2, 5].find((digit) => Math.floor(spanMs / (digit * decade)) < bins);
    if (found !== undefined) return found * decade;
  }
}

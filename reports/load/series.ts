import { boundedLine } from "../bounded.ts";
import type { LoadResult, LoadSamples, LoadSeries, ReportLoad } from "./load-model.ts";
import {
  countBins,
  inFlightBins,
  latencyBins,
  latestBins,
  sortedTimes,
  type Trace,
} from "./series-bins.ts";
import { timeSpread } from "./time-spread.ts";

/** Bins of one trace: two minutes at 100 ms. */
const binsMax = 1200;
/** Bins of all traces of a report together, so that it stays small with any number of them. */
const binsOfAllMax = 24_000;
const tracesMax = 400;
const windowsMax = 200;
const finestBinMs = 100;

/** Load results as a report holds them: raw samples counted into series. */
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

/** One trace counted into at most `bins` bins; undefined where it holds no request. */
function seriesOf(samples: LoadSamples, bins: number): LoadSeries | undefined {
  const trace = traceOf(samples);
  const count = trace.sentMs.length;
  if (count === 0) return undefined;
  const { fromMs, toMs } = spanOf(trace);
  const binMs = binWidth(toMs - fromMs, bins);
  const binOf = (ms: number): number => Math.floor((ms - fromMs) / binMs);
  const length = binOf(toMs) + 1;
  const { name, operation, clock, limit, windowMs, windows, cap } = samples;
  const latency = timeSpread(sortedTimes(trace.latencyMs));
  const late = trace.lateMs === undefined ? undefined : timeSpread(sortedTimes(trace.lateMs));
  return {
    name: boundedLine(name),
    ...(operation !== undefined && { operation }),
    clock,
    requests: count,
    fromMs,
    binMs,
    bins: {
      ...countBins(trace, binOf, length),
      inFlight: inFlightBins(trace, binOf, length),
      ...latencyBins(trace, binOf, length),
      ...(trace.lateMs !== undefined && { lateMs: latestBins(trace, binOf, length) }),
    },
    ...(latency !== undefined && { latency }),
    ...(late !== undefined && { scheduleError: late }),
    ...(limit !== undefined && { limit }),
    ...(windowMs !== undefined && { windowMs }),
    ...(windows !== undefined && { windows: windows.slice(0, windowsMax) }),
    ...(cap !== undefined && { cap }),
  };
}

function traceOf({ intendedMs, sentMs, answeredMs, status }: LoadSamples): Trace {
  const known = (_: number, at: number): boolean => Number.isFinite(sentMs[at]);
  const sent = sentMs.filter(known);
  const answered = answeredMs.filter(known);
  const intended = intendedMs?.filter(known);
  return {
    sentMs: sent,
    answeredMs: answered,
    latencyMs: sent.map((ms, at) => (answered[at] ?? Number.NaN) - ms),
    ...(intended !== undefined && {
      lateMs: sent.map((ms, at) => ms - (intended[at] ?? Number.NaN)),
    }),
    status: status.filter(known),
  };
}

function spanOf({ sentMs, answeredMs }: Trace): { fromMs: number; toMs: number } {
  let [fromMs, toMs] = [0, 0];
  for (const ms of sentMs) {
    fromMs = Math.min(fromMs, ms);
    toMs = Math.max(toMs, ms);
  }
  for (const ms of answeredMs) if (ms < Number.POSITIVE_INFINITY) toMs = Math.max(toMs, ms);
  return { fromMs: Math.floor(fromMs / finestBinMs) * finestBinMs, toMs };
}

/** 100 ms, or the next of 200, 500, 1000… with which the span needs no more than `bins`. */
function binWidth(spanMs: number, bins: number): number {
  for (let decade = finestBinMs; ; decade *= 10) {
    const found = [1, 2, 5].find((digit) => Math.floor(spanMs / (digit * decade)) < bins);
    if (found !== undefined) return found * decade;
  }
}

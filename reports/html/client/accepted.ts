import type { LoadSeries } from "../../model.ts";

/**
 * Counts, for each bin, the requests accepted so far in the limit's window that the bin lies in; where no windows are
 * known, in the last `windowMs`. Undefined where the trace has no limit, or neither windows nor their length are known.
 */
export function acceptedInWindow(trace: LoadSeries): readonly number[] | undefined {
  const { bins, binMs, fromMs, limit, windowMs, windows = [] } = trace;
  if (limit === undefined || (windowMs === undefined && windows.length === 0)) return undefined;
  const beginsAt = (at: number): number => {
    const endMs = fromMs + (at + 1) * binMs;
    const window = windows.find((each) => each.fromMs < endMs && endMs - binMs < each.toMs);
    if (window !== undefined) return Math.max(0, Math.floor((window.fromMs - fromMs) / binMs));
    return Math.max(0, at + 1 - Math.round((windowMs ?? 0) / binMs));
  };
  return bins.accepted.map((_, at) =>
    bins.accepted.slice(beginsAt(at), at + 1).reduce((sum, count) => sum + count, 0),
  );
}

import type { LoadSeries } from "../../model.ts";

/**
 * How many were accepted so far in the window that each bin lies in; without known windows, in the last
 * window's length. Undefined where the trace has no limit.
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

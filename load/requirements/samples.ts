import type { Identification } from "../limiters/fit.ts";

/** Every request of one trace: arrays of one length, times in ms on one clock from the trace's start. */
export interface LoadSamples {
  readonly name: string;
  readonly operation?: string;
  readonly clock: "real" | "virtual";
  /** Absent where there was no schedule. */
  readonly intendedMs?: Float64Array;
  readonly sentMs: Float64Array;
  /** NaN where no answer came. */
  readonly answeredMs: Float64Array;
  /** 0 where no answer came. */
  readonly status: Uint16Array;
  readonly limit?: number;
  readonly windowMs?: number;
  readonly windows?: readonly { readonly fromMs: number; readonly toMs: number }[];
  readonly cap?: number;
}

export interface LimiterFit {
  readonly kind: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly differences: number;
}

/** The limiter of an operation as a report has it. */
export interface LimiterIdentification {
  readonly operation: string;
  readonly best: LimiterFit;
  /** The best of every other kind. */
  readonly others: readonly LimiterFit[];
  readonly window?: { readonly shortestMs: number; readonly longestMs: number };
}

export function limiterOf(
  operation: string,
  { best, others, window }: Identification,
): LimiterIdentification {
  const fits = others.filter(({ limit }) => Number.isFinite(limit));
  const common = { operation, best: fitOf(best), others: fits.map((one) => fitOf(one)) };
  return window === undefined ? common : { ...common, window };
}

function fitOf({ kind, limit, windowMs, differences }: LimiterFit): LimiterFit {
  return { kind, limit, windowMs, differences };
}

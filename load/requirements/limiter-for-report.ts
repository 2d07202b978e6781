import type { LimiterFit, LimiterIdentification } from "../../reports/model.ts";
import type { Identification } from "../limiters/identify.ts";

/** The limiter of an operation as a report has it. */
export function limiterForReport(
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

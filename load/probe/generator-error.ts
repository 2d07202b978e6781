import { nearestRank } from "../../reports/load/time-spread.ts";

/** How much later than intended requests were sent, in milliseconds. */
export interface GeneratorError {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

interface Sent {
  readonly intendedMs: number;
  readonly sentMs: number;
}

/** The generator's own error; all zero where nothing was sent. */
export function generatorError(sent: readonly Sent[]): GeneratorError {
  const lateMs = Float64Array.from(sent, (one) => Math.max(0, one.sentMs - one.intendedMs));
  const sorted = lateMs.toSorted();
  const at = (share: number): number => nearestRank(sorted, share) ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}

import { countOf } from "./summary.ts";
import type { K6Summary } from "./summary.ts";

/** What an engine must have done itself before its figures say anything of a target. */
export interface CountDemand {
  /** A counter, or the part of one that k6 was given a threshold for. */
  readonly metric: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Every script has to have sent something. */
const alwaysDemanded: readonly CountDemand[] = [{ metric: "http_reqs", atLeast: 1 }];

/**
 * Why the engine did not do its part, or undefined where it did.
 * @param isPart whether it was one of several processes, whose share may be nothing.
 */
export function unmetDemand(
  summary: K6Summary,
  demands: readonly CountDemand[],
  isPart = false,
): string | undefined {
  for (const { metric, atLeast = 0, atMost = Infinity } of [
    ...(isPart ? [] : alwaysDemanded),
    ...demands,
  ]) {
    const count = countOf(summary, metric);
    if (count < atLeast) return `k6 counted ${count} ${metric}, at least ${atLeast} were wanted`;
    if (count > atMost) return `k6 counted ${count} ${metric}, at most ${atMost} were wanted`;
  }
  return undefined;
}

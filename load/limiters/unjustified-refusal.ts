import { IntervalCount } from "./interval-count.ts";
import type { Declared } from "./kind.ts";
import type { TracedRequest } from "./trace.ts";

/** A refusal that no kind of limiter gives. */
export interface UnjustifiedRefusal {
  readonly refused: TracedRequest;
  /** How many others were sent in the two windows before it, at most. */
  readonly before: number;
}

/**
 * The first refused request before which, within two windows, fewer were sent than the limit. Fixed
 * windows and logs look back one window, a sliding counter at most two, a bucket is full after one:
 * all of them accept it, whether refusals count or not.
 */
export function findUnjustifiedRefusal(
  requests: readonly TracedRequest[],
  { limit, windowMs }: Declared,
): UnjustifiedRefusal | undefined {
  const all = new IntervalCount(requests, 0);
  for (const refused of requests.filter(({ isAdmitted }) => !isAdmitted)) {
    const before = all.possibly(refused.sentMs - 2 * windowMs, refused.answeredMs) - 1;
    if (before < limit) return { refused, before };
  }
  return undefined;
}

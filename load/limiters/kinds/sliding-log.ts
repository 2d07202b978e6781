import type { Admit, Declared, LimiterKind } from "../kind.ts";
import { LimitBounds } from "../limit-bounds.ts";
import { instantMs } from "../rounding.ts";
import { byWindow } from "../search.ts";
import type { Timeline } from "../timeline.ts";

/** Each admitted request counts for the length of the window. */
export const slidingLog: LimiterKind = {
  name: "sliding log",
  reading: "sliding log",
  start: (numbers) => startSlidingLog(numbers, false),
  limitsIn: (windows) => ({ least: windows, most: windows }),
  ...byWindow((trace, windowMs) => [{ demands: slidingLogDemands(trace, windowMs, false) }]),
};

/** Each request counts for the length of the window, refused or not. */
export const slidingLogOfAll: LimiterKind = {
  name: "sliding log counting refusals",
  reading: "sliding log",
  start: (numbers) => startSlidingLog(numbers, true),
  unrefused: slidingLog,
  ...byWindow((trace, windowMs) => [{ demands: slidingLogDemands(trace, windowMs, true) }]),
};

function startSlidingLog({ limit, windowMs }: Declared, countsRefusals: boolean): Admit {
  const log: { readonly atMs: number; readonly count: number }[] = [];
  let used = 0;
  return (nowMs, count) => {
    while ((log[0]?.atMs ?? Number.POSITIVE_INFINITY) <= nowMs - windowMs) {
      used -= log.shift()?.count ?? 0;
    }
    const admitted = Math.max(0, Math.min(count, limit - used));
    const counted = countsRefusals ? count : admitted;
    used += counted;
    log.push({ atMs: nowMs, count: counted });
    return admitted;
  };
}

/** Each admitted request counts for the length of the window; refused ones may count, too. */
function slidingLogDemands(
  trace: Timeline,
  windowMs: number,
  countsRefusals: boolean,
): LimitBounds {
  const demands = new LimitBounds();
  for (const { sentMs, answeredMs, step } of trace.comparedAdmitted) {
    const sinceMs = answeredMs - windowMs;
    const admitted = trace.admitted.surelyAfter(sinceMs, answeredMs);
    const refused = countsRefusals ? trace.refused.surelyAfter(sinceMs, sentMs - instantMs) : 0;
    demands.atLeast(step, admitted + refused);
  }
  const compared = countsRefusals ? trace.firstRefused : trace.comparedRefused;
  for (const { sentMs, answeredMs, step } of compared) {
    const sinceMs = sentMs - windowMs;
    const admitted = trace.admitted.possiblyBefore(sinceMs, answeredMs);
    // One of the refused requests that were sent from this one on came first: none of the others counts for it.
    const refused = countsRefusals ? trace.refused.possibly(sinceMs, sentMs - instantMs) : 0;
    demands.atMost(step, admitted + refused);
  }
  return demands;
}

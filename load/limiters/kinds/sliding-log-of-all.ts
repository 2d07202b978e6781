import type { LimiterKind } from "../kind.ts";
import { byWindow } from "../search.ts";
import { slidingLog, slidingLogDemands, startSlidingLog } from "./sliding-log.ts";

/** Each request counts for the length of the window, refused or not. */
export const slidingLogOfAll: LimiterKind = {
  name: "sliding log counting refusals",
  reading: "sliding log",
  start: ({ limit, windowMs }) => startSlidingLog({ limit, windowMs, countsRefusals: true }),
  unrefused: slidingLog,
  ...byWindow((trace, windowMs) => [{ demands: slidingLogDemands(trace, windowMs, true) }]),
};

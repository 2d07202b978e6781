import type { LimiterKind } from "../kind.ts";
import { byDeclaredWindow } from "../search.ts";
import { slidingCounter, slidingCounters, startSlidingCounter } from "./sliding-counter.ts";

/**
 * A sliding counter that counts each request, refused or not. Once it has refused many it refuses nearly all that
 * follows, which windows of many lengths would explain.
 */
export const slidingCounterOfAll: LimiterKind = {
  name: "sliding counter counting refusals",
  reading: "sliding counter",
  start: (numbers) => startSlidingCounter({ ...numbers, countsRefusals: true }),
  unrefused: slidingCounter,
  looksBack: 2,
  ...byDeclaredWindow((trace, windowMs) => slidingCounters(trace, windowMs, true)),
};

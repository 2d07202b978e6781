import type { LimiterKind } from "../kind.ts";

/** Nothing limits. */
export const none: LimiterKind = {
  name: "none",
  start: () => (_nowMs, count) => count,
};

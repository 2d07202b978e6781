import { windowMs } from "../../openapi/operations.ts";
import type { Bounds, RatePhase } from "../../scenarios/rate.ts";
import { limiterKinds } from "../limiters/kinds.ts";

/** How well an engine kept to its phase. */
export interface RateKept {
  readonly sent: number;
  /** How late, in ms, any request may have arrived. */
  readonly errorMs: number;
}

/**
 * How many requests of a phase that was kept this well a limiter of any conforming kind accepts. Below the limit: all.
 * At the limit, some may be missing: a late request may fall into the next window, where a sliding counter counts it
 * twice, and one request at each edge of the windows touched. Above it: what the kinds say, and one at each edge.
 */
export function acceptedBounds(
  { level, tier: { limit }, requestsPerWindow, durationMs }: RatePhase,
  { sent, errorMs }: RateKept,
): Bounds {
  const windows = durationMs / windowMs;
  const moved = (limit * errorMs) / windowMs;
  switch (level) {
    case "below":
      return { min: sent, max: sent };
    case "at":
      return { min: Math.max(0, sent - Math.ceil((windows + 1) * (2 * moved + 1))), max: sent };
    case "above": {
      const missing = Math.max(0, requestsPerWindow * windows - sent);
      const slack = Math.ceil(2 * windows * moved) + windows + missing;
      const ofKinds = limiterKinds.flatMap(({ limitsIn }) => limitsIn?.(windows) ?? []);
      const least = Math.min(...ofKinds.map((kind) => kind.least));
      const most = Math.max(...ofKinds.map((kind) => kind.most));
      return {
        min: Math.max(0, least * limit - slack),
        max: Math.min(sent, most * limit + Math.ceil(moved) + 1),
      };
    }
  }
}

import type { Tier } from "../openapi/operations.ts";
import { windowMs } from "../openapi/operations.ts";

/** A count that must lie in here, both ends included. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

export const rateLevels = ["below", "at", "above"] as const;
export type RateLevel = (typeof rateLevels)[number];

/** One arrival rate, held over two windows against one operation that has been left alone before. */
export interface RatePhase {
  readonly tier: Tier;
  readonly level: RateLevel;
  readonly requestsPerWindow: number;
  readonly durationMs: number;
  /** What the engine has to send before its counts say anything. */
  readonly sent: Bounds;
  /** Up to this error of the engine its counts can still be judged. */
  readonly errorMsMax: number;
}

/** How well an engine kept to its phase. */
export interface RateKept {
  readonly sent: number;
  /** How far the arrival of any request may lie behind its moment. */
  readonly errorMs: number;
}

const windows = 2;

const shares: Readonly<Record<RateLevel, number>> = { below: 0.8, at: 1, above: 2 };

/** The rates a tier is asked at. */
export function ratePhases(tier: Tier): readonly RatePhase[] {
  return rateLevels.map((level) => {
    const requestsPerWindow = Math.max(1, Math.floor(tier.limit * shares[level]));
    const planned = requestsPerWindow * windows;
    return {
      tier,
      level,
      requestsPerWindow,
      durationMs: windows * windowMs,
      // An arrival rate has a fence post, one request at either end, and may round up once more.
      sent: { min: Math.floor(planned * 0.99), max: planned + 2 },
      errorMsMax: errorMsMax(tier),
    };
  });
}

/**
 * Below the limit, at p of L requests, a window that is off by the error holds p (1 + error / window)
 * and one more; a sliding counter feels that in both its windows. As long as this stays within the
 * limit nothing may be refused. Above it an eighth of a window is far from hiding a window's share.
 */
function errorMsMax({ limit }: Tier): number {
  const below = Math.max(1, Math.floor(limit * shares.below));
  const spareMs = (windowMs / 2) * ((limit - 1) / below - 1);
  // With a limit of two the requests below it come a whole window apart: one more never fits in.
  return Math.min(windowMs / 8, Math.max(windowMs / 16, spareMs));
}

/**
 * What a limiter of any conforming kind lets through of a phase that was kept as told. Below the
 * limit everything. At it a late request may fall into the next window, where a sliding counter
 * feels it twice, and one request at each edge of the three windows touched. Above it the least is
 * twice the limit, by a sliding log; the most is three times, by a token bucket that fills up
 * meanwhile and by windows of a clock, of which three are touched.
 */
export function acceptedBounds(
  { level, tier: { limit }, requestsPerWindow }: RatePhase,
  { sent, errorMs }: RateKept,
): Bounds {
  const moved = (limit * errorMs) / windowMs;
  switch (level) {
    case "below":
      return { min: sent, max: sent };
    case "at":
      return { min: Math.max(0, sent - Math.ceil((windows + 1) * (2 * moved + 1))), max: sent };
    case "above": {
      const missing = Math.max(0, requestsPerWindow * windows - sent);
      const slack = Math.ceil(2 * windows * moved) + windows + missing;
      return {
        min: Math.max(0, windows * limit - slack),
        max: Math.min(sent, (windows + 1) * limit + Math.ceil(moved) + 1),
      };
    }
  }
}

/** What a tier's three phases cost a target at most. */
export function rateCost(tier: Tier): { readonly requests: number; readonly jobs: number } {
  const sent = ratePhases(tier).map((phase) => phase.sent.max);
  const requests = sent.reduce((sum, count) => sum + count, 0);
  switch (tier.operation) {
    case "run":
    case "runsync":
      return { requests, jobs: requests };
    case "cancel":
      return { requests: requests * 2, jobs: requests };
    case "status":
    case "stream":
      return { requests: requests + sent.length, jobs: sent.length };
    case "purge-queue":
    case "openai":
    case "requests":
    case "retry":
    case "health":
      return { requests, jobs: 0 };
  }
}

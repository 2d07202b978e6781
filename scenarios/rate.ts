import type { Tier } from "./tiers.ts";
import { windowMs } from "./tiers.ts";

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
  /** What a limiter of any kind that conforms lets through of it. */
  readonly accepted: Bounds;
  /** A request sent later than this after its moment could change what is accepted beyond its bounds. */
  readonly latenessMsMax: number;
}

const windows = 2;

const shares: Readonly<Record<RateLevel, number>> = { below: 0.8, at: 1, above: 2 };

/**
 * At the limit a delay moves its share of a window's requests across two edges, which the bounds of
 * what is accepted allow for. Below it and above it there is a fifth of the limit and more to spare.
 */
const latenessMsMax: Readonly<Record<RateLevel, number>> = { below: 1_000, at: 300, above: 1_000 };

/** How far requests may arrive from their moment at the edge of a window, as a share of all. */
const jitterShare = 0.03;

/** The rates a tier is asked at. */
export function ratePhases(tier: Tier): readonly RatePhase[] {
  return rateLevels.map((level) => {
    const requestsPerWindow = Math.max(1, Math.floor(tier.requestsPerWindow * shares[level]));
    const planned = requestsPerWindow * windows;
    return {
      tier,
      level,
      requestsPerWindow,
      durationMs: windows * windowMs,
      // An arrival rate has a fence post, one request at either end, and may round up once more.
      sent: { min: Math.floor(planned * 0.99), max: planned + 2 },
      latenessMsMax: latenessMsMax[level],
      accepted: acceptedBounds(level, tier.requestsPerWindow, planned),
    };
  });
}

/**
 * Below the limit everything passes. At it a request may be refused where two of neighbouring
 * windows come close to each other, and once at the start of a window of a sliding counter. Above it
 * a sliding log passes the least in two windows, twice the limit; a full token bucket that fills up
 * meanwhile and three windows of a clock, touched in part, pass the most: three times the limit.
 */
function acceptedBounds(level: RateLevel, limit: number, planned: number): Bounds {
  const jitter = Math.ceil(limit * windows * jitterShare) + 1;
  switch (level) {
    case "below":
      return { min: Math.floor(planned * 0.99), max: planned + 2 };
    case "at":
      return { min: planned - jitter - 1, max: planned + 2 };
    case "above":
      return { min: windows * limit - jitter, max: (windows + 1) * limit + jitter };
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

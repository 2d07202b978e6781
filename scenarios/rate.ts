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

const windows = 2;

const shares: Readonly<Record<RateLevel, number>> = { below: 0.8, at: 1, above: 2 };

/** The rates a tier is asked at. */
export function ratePhases(tier: Tier): readonly RatePhase[] {
  return rateLevels.map((level) => phaseAt(tier, level, windows));
}

/**
 * The rates that say most for what they cost, where one endpoint serves for all: of an operation whose requests are
 * jobs one window at its limit, of the lowest limit, at which next to nothing can be sent below it, twice the limit.
 */
export function frugalPhases(tier: Tier): readonly RatePhase[] {
  if (tier.operation === "run" || tier.operation === "runsync") return [phaseAt(tier, "at", 1)];
  if (tier.operation === "purge-queue") return [phaseAt(tier, "above", windows)];
  return ratePhases(tier);
}

function phaseAt(tier: Tier, level: RateLevel, ofWindows: number): RatePhase {
  const requestsPerWindow = Math.max(1, Math.floor(tier.limit * shares[level]));
  const planned = requestsPerWindow * ofWindows;
  return {
    tier,
    level,
    requestsPerWindow,
    durationMs: ofWindows * windowMs,
    // An arrival rate has a fence post, one request at either end, and may round up once more.
    sent: { min: Math.floor(planned * 0.99), max: planned + 2 },
    errorMsMax: errorMsMax(tier),
  };
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

import type { Tier } from "../openapi/operations.ts";
import { windowMs } from "../openapi/operations.ts";

/** The bounds of a count, both included. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

export const rateLevels = ["below", "at", "above"] as const;
export type RateLevel = (typeof rateLevels)[number];

/** One arrival rate, held for whole windows against an operation that got no requests before. */
export interface RatePhase {
  readonly tier: Tier;
  readonly level: RateLevel;
  readonly requestsPerWindow: number;
  readonly durationMs: number;
  /** How many requests the engine has to send for its counts to say anything. */
  readonly sent: Bounds;
  /** The largest error of the engine, in ms, with which its counts can still be judged. */
  readonly errorMsMax: number;
}

const windows = 2;

const shares: Readonly<Record<RateLevel, number>> = { below: 0.8, at: 1, above: 2 };

/** The rates at which a tier is tried: below, at and above its limit. */
export function ratePhases(tier: Tier): readonly RatePhase[] {
  return rateLevels.map((level) => phaseAt(tier, level));
}

/**
 * The one rate that confirms what another engine has found: twice the limit, which tells a limit that is too high from
 * one that is too low.
 */
export function confirmingPhase(tier: Tier): RatePhase {
  return phaseAt(tier, "above");
}

function phaseAt(tier: Tier, level: RateLevel): RatePhase {
  const requestsPerWindow = Math.max(1, Math.floor(tier.limit * shares[level]));
  const planned = requestsPerWindow * windows;
  return {
    tier,
    level,
    requestsPerWindow,
    durationMs: windows * windowMs,
    // An arrival rate sends one request at either end, so one more than planned, and may round up by another.
    sent: { min: Math.floor(planned * 0.99), max: planned + 2 },
    errorMsMax: errorMsMax(tier),
  };
}

/**
 * Below the limit L, with p requests a window, a window that is off by the error holds p (1 + error / window) + 1
 * requests; a sliding counter is affected in both its windows. As long as that is at most L nothing may be refused.
 * Above the limit an error of an eighth of a window is too small to hide one window's share.
 */
function errorMsMax({ limit }: Tier): number {
  const below = Math.max(1, Math.floor(limit * shares.below));
  const spareMs = (windowMs / 2) * ((limit - 1) / below - 1);
  // With a limit of two, requests below it come a whole window apart, so one more never fits into a window.
  return Math.min(windowMs / 8, Math.max(windowMs / 16, spareMs));
}

import type { OperationName, Tier } from "../../openapi/operations.ts";
import { minimalPhases, ratePhases } from "../../scenarios/rate.ts";
import type { RateLevel, RatePhase } from "../../scenarios/rate.ts";
import { silenceMs } from "../engine-endpoints.ts";
import { costOf } from "../sent-load.ts";
import type { LoadCost } from "../sent-load.ts";

/** How rates are sent: to new endpoints, to one that all share, or to that one with no more requests than a verdict needs. */
export type RateMode = "fresh" | "shared" | "shared-minimal";

/** A phase and when it starts, counted from when the jobs that it needs were made. */
export interface TimedPhase {
  readonly phase: RatePhase;
  readonly startMs: number;
}

/** The phases of some tiers that are sent together, and when each starts. */
export function timedPhases(tiers: readonly Tier[], rateMode: RateMode): readonly TimedPhase[] {
  if (rateMode === "shared-minimal") return minimalTimes(tiers);
  const startOf = rateMode === "fresh" ? freshStartOf : sharedStartOf;
  return tiers.flatMap(ratePhases).map((phase) => ({ phase, startMs: startOf(phase) }));
}

/** How long the phases take together. */
export function k6RateMs(tiers: readonly Tier[], rateMode: RateMode): number {
  const ends = timedPhases(tiers, rateMode).map(({ phase, startMs }) => startMs + phase.durationMs);
  return Math.max(0, ...ends);
}

/** The phases of a tier. */
export function phasesOf(tier: Tier, rateMode: RateMode): readonly RatePhase[] {
  return rateMode === "shared-minimal" ? minimalPhases(tier) : ratePhases(tier);
}

/** The two lower rates run at once, as they are together no more than the highest. */
const freshStartMs: Readonly<Record<RateLevel, number>> = { below: 0, at: 0, above: 22_000 };

function freshStartOf({ level }: RatePhase): number {
  return freshStartMs[level];
}

/** purge-queue comes after all others: it would take away the jobs that wait to be cancelled. */
function sharedStartOf({ tier, level, durationMs }: RatePhase): number {
  const turn = { below: 0, at: 1, above: 2 }[level] + (tier.operation === "purge-queue" ? 3 : 0);
  return silenceMs + turn * (durationMs + silenceMs);
}

/**
 * Limits are independent, so only phases of one operation have silences between them. All operations have rested
 * before, except run, which has made the jobs to read and to cancel. runsync begins after the purges, which are short
 * and would take away the jobs that it waits for.
 */
function minimalTimes(tiers: readonly Tier[]): readonly TimedPhase[] {
  const purges = tiers.filter(({ operation }) => operation === "purge-queue");
  const purgesMs = purges
    .flatMap(minimalPhases)
    .reduce((sum, { durationMs }) => sum + durationMs, 0);
  return tiers.flatMap((tier) => {
    const waitsMs: Partial<Record<OperationName, number>> = { run: silenceMs, runsync: purgesMs };
    let startMs = waitsMs[tier.operation] ?? 0;
    return minimalPhases(tier).map((phase) => {
      const timed = { phase, startMs };
      startMs += phase.durationMs + silenceMs;
      return timed;
    });
  });
}

/** What the rates of a tier cost a target at most. */
export function rateCost(tier: Tier, rateMode: RateMode = "fresh"): LoadCost {
  const { operation } = tier;
  const phases = phasesOf(tier, rateMode);
  const count = phases.reduce((sum, phase) => sum + phase.sent.max, 0);
  // Each rate of status and stream needs a job to read.
  const readsJob = operation === "status" || operation === "stream";
  return costOf(operation, count, readsJob ? phases.length : undefined);
}

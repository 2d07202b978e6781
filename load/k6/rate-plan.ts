import { isSubmission } from "../../openapi/operations.ts";
import type { OperationName, Tier } from "../../openapi/operations.ts";
import { confirmingPhase, ratePhases } from "../../scenarios/rate.ts";
import type { RateLevel, RatePhase } from "../../scenarios/rate.ts";
import { silenceMs } from "../engine-endpoints.ts";
import { costOf } from "../sent-load.ts";
import type { LoadCost } from "../sent-load.ts";

/** Where rates are sent: to new endpoints or to one that all share; and all of a tier, or the one that confirms the probe. */
export interface RateMode {
  readonly endpoints: "fresh" | "shared";
  readonly rates: "all" | "confirming";
}

/** A phase and when it starts, counted from when the jobs that it needs were made. */
export interface TimedPhase {
  readonly phase: RatePhase;
  readonly startMs: number;
}

/** The phases of some tiers that are sent together, and when each starts. */
export function timedPhases(tiers: readonly Tier[], rateMode: RateMode): readonly TimedPhase[] {
  const phases = tiers.flatMap((tier) => phasesOf(tier, rateMode));
  return phases.map((phase) => ({ phase, startMs: startOf(phase, rateMode) }));
}

/** How long the phases take together. */
export function k6RateMs(tiers: readonly Tier[], rateMode: RateMode): number {
  const ends = timedPhases(tiers, rateMode).map(({ phase, startMs }) => startMs + phase.durationMs);
  return Math.max(0, ...ends);
}

/**
 * Whether k6 sends rates of a tier at all. On an endpoint that is not new, a rate that confirms the probe would make
 * thousands of jobs of run and runsync, and tell no more than autocannon's burst of one more than the limit.
 */
export function sendsRates({ operation }: Tier, { endpoints, rates }: RateMode): boolean {
  return rates === "all" || endpoints === "fresh" || !isSubmission(operation);
}

/** The phases of a tier. */
export function phasesOf(tier: Tier, rateMode: RateMode): readonly RatePhase[] {
  if (!sendsRates(tier, rateMode)) return [];
  return rateMode.rates === "all" ? ratePhases(tier) : [confirmingPhase(tier)];
}

/** The two lower rates run at once, as they are together no more than the highest. */
const freshStartMs: Readonly<Record<RateLevel, number>> = { below: 0, at: 0, above: 22_000 };

/** purge-queue comes after all others: it would take away the jobs that wait to be cancelled. */
function sharedStartOf({ tier, level, durationMs }: RatePhase): number {
  const turn = { below: 0, at: 1, above: 2 }[level] + (tier.operation === "purge-queue" ? 3 : 0);
  return silenceMs + turn * (durationMs + silenceMs);
}

/** Limits are independent, and what confirms the probe has rested before: all of that begins at once. */
function startOf(phase: RatePhase, { endpoints, rates }: RateMode): number {
  if (rates === "confirming") return 0;
  return endpoints === "fresh" ? freshStartMs[phase.level] : sharedStartOf(phase);
}

/** Whether the operations have to rest before rates begin; where all rates are sent, their own times say so. */
export function restsFirst({ endpoints, rates }: RateMode): boolean {
  return endpoints === "shared" && rates === "confirming";
}

/** The operations that a tier's rate or burst uses besides its own, to make jobs to read or to cancel. */
export function usedBy({ operation }: Tier): readonly OperationName[] {
  return ["cancel", "status", "stream"].includes(operation) ? ["run"] : [];
}

/** What the rates of a tier cost a target at most. */
export function rateCost(tier: Tier, rateMode: RateMode): LoadCost {
  const { operation } = tier;
  const phases = phasesOf(tier, rateMode);
  const count = phases.reduce((sum, phase) => sum + phase.sent.max, 0);
  // Each rate of status and stream needs a job to read.
  const readsJob = operation === "status" || operation === "stream";
  return costOf(operation, count, readsJob ? phases.length : undefined);
}

/**
 * The rates that k6 sends together, in turns. On an endpoint that existed before, the jobs that wait to be cancelled
 * would keep its few workers busy, and no request of runsync would be answered in time: so runsync goes first. What
 * confirms the probe goes before them where it needs no jobs: purge-queue would take them away, and run rests meanwhile.
 */
export function rateTurnsOf(
  tiers: readonly Tier[],
  { endpoints, rates }: RateMode,
): readonly (readonly Tier[])[] {
  if (endpoints === "fresh") return [tiers];
  const isEarly = rates === "confirming" ? needsNoJobs : isRunsync;
  if (rates === "all" && !tiers.some(({ operation }) => operation === "cancel")) return [tiers];
  const turns = [tiers.filter(isEarly), tiers.filter((tier) => !isEarly(tier))];
  return turns.filter(({ length }) => length > 0);
}

function isRunsync({ operation }: Tier): boolean {
  return operation === "runsync";
}

function needsNoJobs(tier: Tier): boolean {
  return usedBy(tier).length === 0;
}

/** How long all the turns take, one after the other, on a real clock. */
export function rateTurnsMs(turns: readonly (readonly Tier[])[], rateMode: RateMode): number {
  return turns.reduce((sum, tiers) => sum + k6RateMs(tiers, rateMode), 0);
}

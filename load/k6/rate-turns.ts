import type { Tier } from "../../openapi/operations.ts";
import { k6RateMs, usedBy } from "./rate-plan.ts";
import type { RateMode } from "./rate-plan.ts";

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

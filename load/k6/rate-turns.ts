import type { Tier } from "../../openapi/operations.ts";
import { k6RateMs } from "./rate-plan.ts";
import type { RateMode } from "./rate-plan.ts";

/**
 * The rates that k6 sends together, in turns. On an endpoint that existed before, the jobs that wait to be cancelled
 * would keep its few workers busy, and no request of runsync would be answered in time: so runsync goes first. Where
 * as few as possible are sent, purge-queue goes with it, because it would take these jobs away.
 */
export function rateTurnsOf(
  tiers: readonly Tier[],
  rateMode: RateMode,
): readonly (readonly Tier[])[] {
  const hasCancel = tiers.some(({ operation }) => operation === "cancel");
  if (rateMode.endpoints === "fresh" || !hasCancel) return [tiers];
  const early = rateMode.rates === "confirming" ? ["runsync", "purge-queue"] : ["runsync"];
  const isEarly = ({ operation }: Tier): boolean => early.includes(operation);
  const turns = [tiers.filter(isEarly), tiers.filter((tier) => !isEarly(tier))];
  return turns.filter(({ length }) => length > 0);
}

/** How long all the turns take, one after the other, on a real clock. */
export function rateTurnsMs(turns: readonly (readonly Tier[])[], rateMode: RateMode): number {
  return turns.reduce((sum, tiers) => sum + k6RateMs(tiers, rateMode), 0);
}

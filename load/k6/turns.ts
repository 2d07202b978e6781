import type { Tier } from "../../openapi/index.ts";
import { k6RateMs } from "./rate-plan.ts";
import type { RatePlace } from "./rate-plan.ts";

/**
 * The rates that k6 sends together, in turns. On an endpoint that existed before, the jobs that wait to be cancelled
 * would keep its few workers busy, and no request of runsync would be answered in time: so runsync goes first. Where
 * rates are frugal, purge-queue goes with it, because it would take these jobs away.
 */
export function turnsOf(tiers: readonly Tier[], place: RatePlace): readonly (readonly Tier[])[] {
  const hasCancel = tiers.some(({ operation }) => operation === "cancel");
  if (place === "fresh" || !hasCancel) return [tiers];
  const early = place === "frugal" ? ["runsync", "purge-queue"] : ["runsync"];
  const isEarly = ({ operation }: Tier): boolean => early.includes(operation);
  const turns = [tiers.filter(isEarly), tiers.filter((tier) => !isEarly(tier))];
  return turns.filter(({ length }) => length > 0);
}

/** How long all the turns take, one after the other, on a real clock. */
export function turnsMs(turns: readonly (readonly Tier[])[], place: RatePlace): number {
  return turns.reduce((sum, tiers) => sum + k6RateMs(tiers, place), 0);
}

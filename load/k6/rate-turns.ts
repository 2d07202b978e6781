import type { Tier } from "../../openapi/operations.ts";
import { k6RateMs } from "./rate-plan.ts";
import type { RateMode } from "./rate-plan.ts";

/**
 * The rates that k6 sends together, in turns. On an endpoint that existed before, the jobs that wait to be cancelled
 * would keep its few workers busy, and no request of runsync would be answered in time: so runsync goes first.
 */
export function rateTurnsOf(
  tiers: readonly Tier[],
  rateMode: RateMode,
): readonly (readonly Tier[])[] {
  const hasCancel = tiers.some(({ operation }) => operation === "cancel");
  if (rateMode.endpoints === "fresh" || !hasCancel) return [tiers];
  const turns = [tiers.filter(isEarly), tiers.filter((tier) => !isEarly(tier))];
  return turns.filter(({ length }) => length > 0);
}

function isEarly({ operation }: Tier): boolean {
  return operation === "runsync";
}

/** How long all the turns take, one after the other, on a real clock. */
export function rateTurnsMs(turns: readonly (readonly Tier[])[], rateMode: RateMode): number {
  return turns.reduce((sum, tiers) => sum + k6RateMs(tiers, rateMode), 0);
}

import type { Tier } from "../../openapi/index.ts";
import { k6RateMs } from "./rate.ts";

/**
 * The rates that k6 sends together, in turns. On an endpoint that is there already the jobs that wait to
 * be cancelled would keep its workers busy, however few they are, and no request of runsync would be
 * answered in time: its rate goes first.
 * @param isOneTurn whether nothing stands in the way of all together.
 */
export function turnsOf(tiers: readonly Tier[], isOneTurn: boolean): readonly (readonly Tier[])[] {
  const hasCancel = tiers.some(({ operation }) => operation === "cancel");
  if (isOneTurn || !hasCancel) return [tiers];
  const turns = [tiers.filter(isOfRunsync), tiers.filter((tier) => !isOfRunsync(tier))];
  return turns.filter(({ length }) => length > 0);
}

/** How long all the turns take, one after the other, on a real clock. */
export function turnsMs(turns: readonly (readonly Tier[])[], endpointsAreFresh: boolean): number {
  return turns.reduce((sum, tiers) => sum + k6RateMs(tiers, endpointsAreFresh), 0);
}

function isOfRunsync({ operation }: Tier): boolean {
  return operation === "runsync";
}

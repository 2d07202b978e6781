import type { Tier } from "../../openapi/operations.ts";
import { phasesOf } from "./rate-plan.ts";
import type { RateMode } from "./rate-plan.ts";
import { costOf } from "../sent-load.ts";
import type { LoadCost } from "../sent-load.ts";

/** What the rates of a tier cost a target at most. */
export function rateCost(tier: Tier, rateMode: RateMode = "fresh"): LoadCost {
  const { operation } = tier;
  const phases = phasesOf(tier, rateMode);
  const count = phases.reduce((sum, phase) => sum + phase.sent.max, 0);
  // Each rate of status and stream needs a job to read.
  const readsJob = operation === "status" || operation === "stream";
  return costOf(operation, count, readsJob ? phases.length : undefined);
}

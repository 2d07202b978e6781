import type { OperationName, RequirementId } from "../../openapi/index.ts";

/** The window of every rate limit. */
export const windowMs = 10_000;

/** One row of the table of limits (docs/specification.md#rate-limits). */
export interface Tier {
  readonly operation: OperationName;
  readonly limit: number;
  readonly rate: RequirementId;
  /** How many may be in flight; absent where none is stated. */
  readonly cap?: number;
  readonly concurrency?: RequirementId;
}

export interface CappedTier extends Tier {
  readonly cap: number;
  readonly concurrency: RequirementId;
}

const tiers = [
  { operation: "runsync", limit: 2_000, rate: "RATE-01", cap: 400, concurrency: "CONC-01" },
  { operation: "run", limit: 1_000, rate: "RATE-02", cap: 200, concurrency: "CONC-02" },
  { operation: "status", limit: 2_000, rate: "RATE-03", cap: 400, concurrency: "CONC-03" },
  { operation: "stream", limit: 2_000, rate: "RATE-04", cap: 400, concurrency: "CONC-04" },
  { operation: "cancel", limit: 100, rate: "RATE-05", cap: 20, concurrency: "CONC-05" },
  { operation: "purge-queue", limit: 2, rate: "RATE-06" },
  { operation: "openai", limit: 2_000, rate: "RATE-07", cap: 400, concurrency: "CONC-06" },
  { operation: "requests", limit: 10, rate: "RATE-08", cap: 2, concurrency: "CONC-07" },
] as const satisfies readonly Tier[];

export const allTiers: readonly Tier[] = tiers;

export const cappedTiers: readonly CappedTier[] = tiers.filter((tier) => "cap" in tier);

export function capOf(operation: OperationName): number {
  return allTiers.find((tier) => tier.operation === operation)?.cap ?? 400;
}

export function tierOf(operation: OperationName): Tier {
  const found = allTiers.find((tier) => tier.operation === operation);
  if (found === undefined) throw new Error(`${operation} has no stated limit`);
  return found;
}

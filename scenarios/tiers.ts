import type { OperationName, RequirementId } from "../openapi/index.ts";

/** One row of the table of limits (docs/specification.md#rate-limits). k6 reads it too, so it stands here as it is. */
export interface Tier {
  readonly requirement: RequirementId;
  readonly operation: OperationName;
  readonly requestsPerWindow: number;
  /** Absent where no cap is stated. */
  readonly inFlightMax?: number;
}

export const windowMs = 10_000;

/** In the order of the requirements. */
export const tiers: readonly Tier[] = [
  { requirement: "RATE-01", operation: "runsync", requestsPerWindow: 2_000, inFlightMax: 400 },
  { requirement: "RATE-02", operation: "run", requestsPerWindow: 1_000, inFlightMax: 200 },
  { requirement: "RATE-03", operation: "status", requestsPerWindow: 2_000, inFlightMax: 400 },
  { requirement: "RATE-04", operation: "stream", requestsPerWindow: 2_000, inFlightMax: 400 },
  { requirement: "RATE-05", operation: "cancel", requestsPerWindow: 100, inFlightMax: 20 },
  { requirement: "RATE-06", operation: "purge-queue", requestsPerWindow: 2 },
  { requirement: "RATE-07", operation: "openai", requestsPerWindow: 2_000, inFlightMax: 400 },
  { requirement: "RATE-08", operation: "requests", requestsPerWindow: 10, inFlightMax: 2 },
];

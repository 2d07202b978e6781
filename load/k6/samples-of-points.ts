import type { Tier } from "../../openapi/operations.ts";
import type { LoadSamples } from "../../reports/model.ts";
import { windowMs } from "../../openapi/operations.ts";
import type { RequestPoint } from "./points.ts";

/** The requests of one phase of a tier, in the order they were sent, on a clock that starts with the first. */
export function samplesOfPhase(
  requests: readonly RequestPoint[],
  phase: string,
  { operation, limit }: Tier,
): LoadSamples {
  const own = requests
    .filter(({ tags }) => tags["phase"] === phase)
    .map(({ endedMs, durationMs, status }) => ({ sentMs: endedMs - durationMs, endedMs, status }))
    .toSorted((one, other) => one.sentMs - other.sentMs);
  const startMs = own[0]?.sentMs ?? 0;
  return {
    name: phase,
    operation,
    clock: "real",
    sentMs: Float64Array.from(own, ({ sentMs }) => sentMs - startMs),
    answeredMs: Float64Array.from(own, ({ endedMs, status }) =>
      status === 0 ? Number.NaN : endedMs - startMs,
    ),
    status: Uint16Array.from(own, ({ status }) => status),
    limit,
    windowMs,
  };
}

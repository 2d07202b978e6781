import type { Tier } from "../../openapi/operations.ts";
import type { LoadPoints, LoadSamples } from "../../reports/model.ts";
import { headerOf, judgeRate, phaseNameOf } from "./judge-rate.ts";
import type { RateRun } from "./judge-rate.ts";
import { engineFinding } from "../result.ts";
import type { EngineFinding } from "../result.ts";
import type { RequestPoint } from "./points.ts";
import { windowMs } from "../../openapi/operations.ts";

/** What k6 found of a tier, with every request for the plots. */
export function rateFinding(run: RateRun, requests: readonly RequestPoint[]): EngineFinding {
  const { figures, ...found } = judgeRate(run);
  const samples = run.phases.map((phase) => samplesOfPhase(requests, phaseNameOf(phase), run.tier));
  return { ...found, figures: { ...figures, samples } };
}

/** Why the finding of one of several runners decides nothing. */
export function aloneReason({ runner, runners }: LoadPoints): string {
  return (
    `runner ${runner} of ${runners} alone decides nothing: ` +
    "`queueproof report` with the reports of all puts them together"
  );
}

/** The finding of one of several runners: alone it decides nothing, and says where its points are. */
export function rateFindingOfRunner(
  tier: Tier,
  { undecided, durationMs }: Pick<RateRun, "undecided" | "durationMs">,
  points: LoadPoints,
): EngineFinding {
  const { runner, runners } = points;
  return engineFinding("k6", headerOf(tier), {
    durationMs,
    mismatches: [],
    undecided: [undecided ?? aloneReason(points)],
    figures: { runner, runners },
    points,
  });
}

/** The requests of one phase of a tier, in the order they were sent, on a clock that starts with the first. */
function samplesOfPhase(
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

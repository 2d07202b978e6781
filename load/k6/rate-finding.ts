import type { Tier } from "../../openapi/index.ts";
import type { LoadPoints } from "../../reports/model.ts";
import type { RatePhase } from "../../scenarios/rate.ts";
import { headerOf, judgeRate, phaseNameOf } from "./judge-rate.ts";
import type { RateRun } from "./judge-rate.ts";
import { engineFinding } from "../result.ts";
import type { EngineFinding } from "../result.ts";
import type { RequestPoint } from "./points.ts";
import { samplesOfPhase } from "./samples-of-points.ts";

/** How a run of k6 ended. */
export type RateEnding = Omit<RateRun, "phases">;

/** What k6 found of a tier by some phases, with every request for the plots. */
export function rateFinding(
  [first, ...others]: readonly RatePhase[],
  ending: RateEnding,
  requests: readonly RequestPoint[],
): EngineFinding {
  if (first === undefined) throw new RangeError("no rate was sent");
  const { tier } = first;
  const { check, figures } = judgeRate({ phases: [first, ...others], ...ending });
  const samples = [first, ...others].map((phase) =>
    samplesOfPhase(requests, phaseNameOf(phase), tier),
  );
  return { check, figures: { ...figures, samples } };
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
  { undecided, durationMs }: RateEnding,
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

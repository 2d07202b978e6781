import { ratePhases } from "../../scenarios/rate.ts";
import type { RequirementResult } from "../../harness/judge.ts";
import { tiers } from "../../openapi/operations.ts";
import { headerOf } from "../k6/judge-rate.ts";
import { checkResult } from "../result.ts";
import type { EngineFinding } from "../result.ts";
import { K6Points, spanMsOf } from "../k6/points.ts";
import { rateFinding } from "../k6/rate-finding.ts";
import { summaryOfPoints } from "./summary-of-points.ts";

/** What several runners of one test left. */
export interface Runners {
  /** The points of each. */
  readonly files: readonly string[];
  /** The scenarios that all of them ran. */
  readonly scenarios: ReadonlySet<string>;
}

/**
 * Judges the rates of k6 again from all the points of all runners, as if one had sent them.
 * @throws K6PointsError where a file cannot be read.
 */
export async function judgeRunners({
  files,
  scenarios,
}: Runners): Promise<readonly EngineFinding[]> {
  const points = new K6Points();
  for (const file of files) await points.add(file);
  const summary = summaryOfPoints(points.series);
  const ending = {
    summary,
    undecided: undefined,
    durationMs: Math.round(spanMsOf(points.requests)),
  };
  return tiersOf(scenarios).map((tier) =>
    rateFinding({ tier, phases: ratePhases(tier), ...ending }, points.requests),
  );
}

/** Inconclusive results where not all the points are there: a mean of what single runners saw is no result. */
export function undecidedRunners(
  scenarios: ReadonlySet<string>,
  reason: string,
): readonly RequirementResult[] {
  return tiersOf(scenarios).map((tier) => {
    const undecided = [`the runners' results cannot be put together: ${reason}`];
    return checkResult({ ...headerOf(tier), durationMs: 0, mismatches: [], undecided });
  });
}

function tiersOf(scenarios: ReadonlySet<string>): typeof tiers {
  return tiers.filter((tier) => scenarios.has(headerOf(tier).name));
}

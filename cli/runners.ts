import { dirname, resolve } from "node:path";

import { judgeRunners, undecidedRunners } from "../load/distributed/judge-runners.ts";
import { PointsError } from "../load/distributed/points.ts";
import { createReport, mergeReports, withoutLoad } from "../reports/index.ts";
import type { LoadPoints, Report, ReportInput } from "../reports/index.ts";

/** A report and where it stood. */
export interface PlacedReport {
  readonly report: Report;
  readonly path: string;
}

interface Runner extends LoadPoints {
  readonly scenario: string;
  readonly path: string;
}

/**
 * Several reports as one. What runners of one load test found is judged anew, from the points of all
 * of them: a mean of percentiles is none. Where points are missing that is not decided, and says so.
 */
export async function mergePlaced(
  placed: readonly [PlacedReport, ...PlacedReport[]],
): Promise<Report> {
  const [first, ...others] = placed.map(({ report }) => report);
  if (first === undefined) throw new RangeError("nothing to merge");
  const merged = mergeReports(first, ...others);
  const runners = placed.flatMap(runnersOf);
  if (runners.length === 0) return merged;
  const scenarios = new Set(runners.map(({ scenario }) => scenario));
  const { tool, command, seed, startedAt, target, dialect } = merged;
  const together = createReport({
    toolVersion: tool.version,
    nodeVersion: tool.node,
    command,
    seed,
    startedAt,
    target,
    dialect,
    durationMs: 0,
    ...(await foundTogether(runners, scenarios)),
  });
  return mergeReports(withoutLoad(merged, scenarios), together);
}

function runnersOf({ report, path }: PlacedReport): readonly Runner[] {
  return report.load.flatMap(({ scenario, points }) =>
    points === undefined
      ? []
      : [{ ...points, scenario, path: resolve(dirname(path), points.file) }],
  );
}

async function foundTogether(
  runners: readonly Runner[],
  scenarios: ReadonlySet<string>,
): Promise<Pick<ReportInput, "results" | "load">> {
  const problem = [...scenarios]
    .map((scenario) => problemOf(runners.filter((each) => each.scenario === scenario)))
    .find((each) => each !== undefined);
  if (problem !== undefined) return { results: undecidedRunners(scenarios, problem), load: [] };
  try {
    const files = [...new Set(runners.map(({ path }) => path))];
    const findings = await judgeRunners({ files, scenarios });
    return {
      results: findings.map(({ check }) => check),
      load: findings.map(({ figures }) => figures),
    };
  } catch (error) {
    if (!(error instanceof PointsError)) throw error;
    return { results: undecidedRunners(scenarios, error.message), load: [] };
  }
}

/** Each runner has to be there, once. */
function problemOf(runners: readonly Runner[]): string | undefined {
  const [first] = runners;
  if (first === undefined) return undefined;
  const { scenario, runners: count } = first;
  if (runners.some((each) => each.runners !== count)) {
    return `${scenario} was run by tests of different numbers of runners`;
  }
  for (let runner = 1; runner <= count; runner += 1) {
    const found = runners.filter((each) => each.runner === runner).length;
    if (found === 0) return `runner ${runner} of ${count} is missing`;
    if (found > 1) return `runner ${runner} of ${count} is there ${found} times`;
  }
  return undefined;
}

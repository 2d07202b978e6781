import { dirname, resolve } from "node:path";

import { judgeRunners, undecidedRunners } from "../load/distributed/judge-runners.ts";
import { K6PointsError } from "../load/k6/points.ts";
import { judgeScenarioRunners } from "../load/scenarios/judge-runners.ts";
import { scenarioNameOf } from "../load/scenarios/judge.ts";
import { isRequirementId } from "../openapi/requirements.ts";
import { createReport } from "../reports/create-report.ts";
import { mergeReports, withoutLoad } from "../reports/merge-reports.ts";
import { undecidedIn } from "../reports/verdicts.ts";
import type { LoadPoints, LoadResult, Report } from "../reports/model.ts";
import type { ReportInput } from "../reports/create-report.ts";
import { scenarios } from "../scenarios/scenarios.ts";

/** A report and the path of its file. */
export interface PlacedReport {
  readonly report: Report;
  readonly path: string;
}

interface Runner extends LoadPoints {
  readonly scenario: string;
  readonly path: string;
}

interface Found extends Pick<ReportInput, "results"> {
  readonly load: readonly LoadResult[];
}

/** The joint verdict of several runners on a requirement or a scenario. */
interface Shared extends Pick<LoadResult, "verdict"> {
  readonly covers?: readonly string[];
  readonly scenario?: string;
}

/** The merged report of several runners. */
export interface MergedRunners {
  readonly report: Report;
  /** The exit code of a single run that had done all the shared load; 0 where nothing was shared. */
  readonly exitCode: number;
}

/**
 * Merges reports. The results of runners of one load test are judged again from the points of all runners, since a mean
 * of percentiles is not a percentile. Where points are missing, the result is undecided and says so.
 */
export async function mergePlaced(placed: readonly PlacedReport[]): Promise<MergedRunners> {
  const [first, ...others] = placed.map(({ report }) => report);
  if (first === undefined) throw new RangeError("nothing to merge");
  const runners = placed.flatMap(runnersOf);
  if (others.length === 0 && runners.length === 0) return { report: first, exitCode: 0 };
  const merged = mergeReports(first, ...others);
  if (runners.length === 0) return { report: merged, exitCode: 0 };
  const sharedNames = new Set(runners.map(({ scenario }) => scenario));
  const answers = await scenariosTogether(runners);
  const rates = await ratesTogether(runners);
  const found = [rates, ...answers];
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
    results: found.flatMap(({ results }) => results),
    load: found.flatMap(({ load }) => load),
    allowed: merged.requirements.flatMap(({ id, allowed }) =>
      allowed === true && isRequirementId(id) ? [id] : [],
    ),
  });
  const report = mergeReports(withoutLoad(merged, sharedNames), together);
  const shared = [...rates.results, ...answers.flatMap(({ load }) => load)];
  return { report, exitCode: exitCodeOfMerged(shared, report) };
}

/** Judges only shared load, as one process would (docs/options.md#exit-codes): the rest had its exit code before. */
function exitCodeOfMerged(shared: readonly Shared[], report: Report): number {
  const verdicts = new Set(shared.map(({ verdict }) => verdict));
  if (verdicts.has("fail")) return 1;
  if (verdicts.size > 0 && !verdicts.has("pass")) return 3;
  const open = new Set(undecidedIn(report));
  const names = shared.flatMap(({ covers = [], scenario = "" }) => [...covers, scenario]);
  return names.some((name) => open.has(name)) ? 4 : 0;
}

function runnersOf({ report, path }: PlacedReport): readonly Runner[] {
  return report.load.flatMap(({ scenario, points }) =>
    points === undefined
      ? []
      : [{ ...points, scenario, path: resolve(dirname(path), points.file) }],
  );
}

const scenariosByName = new Map(scenarios.map((scenario) => [scenarioNameOf(scenario), scenario]));

async function ratesTogether(all: readonly Runner[]): Promise<Found> {
  const runners = all.filter(({ scenario }) => !scenariosByName.has(scenario));
  const names = new Set(runners.map(({ scenario }) => scenario));
  const problem = [...names]
    .map((name) => problemOf(runners.filter(({ scenario }) => scenario === name)))
    .find((each) => each !== undefined);
  if (problem !== undefined) return { results: undecidedRunners(names, problem), load: [] };
  try {
    const files = [...new Set(runners.map(({ path }) => path))];
    const findings = await judgeRunners({ files, scenarios: names });
    return {
      results: findings.map(({ check }) => check),
      load: findings.map(({ figures }) => figures),
    };
  } catch (error) {
    if (!(error instanceof K6PointsError)) throw error;
    return { results: undecidedRunners(names, error.message), load: [] };
  }
}

/** Judges each scenario separately, from its own points. */
async function scenariosTogether(all: readonly Runner[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const [name, scenario] of scenariosByName) {
    const runners = all
      .filter((each) => each.scenario === name)
      .toSorted((one, other) => one.runner - other.runner);
    if (runners.length === 0) continue;
    const { checks, entry, objectives } = await judgeScenarioRunners(scenario, runners, {
      problem: problemOf(runners),
    });
    found.push({ results: checks, load: [entry, ...objectives] });
  }
  return found;
}

/** Says what is wrong unless every runner is there exactly once. */
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

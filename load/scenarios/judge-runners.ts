import type { RequirementResult } from "../../harness/judge.ts";
import type { LoadPoints } from "../../reports/model.ts";
import type { HeldLimits, Scenario } from "../../scenarios/scenario.ts";
import { joinedSeries } from "../distributed/append-points.ts";
import { K6Points, K6PointsError, spanMsOf } from "../k6/points.ts";
import { summaryOfPoints } from "../distributed/summary-of-points.ts";
import { entryOf, judgeScenario } from "./judge.ts";
import type { ScenarioEntry, ScenarioFinding, ScenarioRun } from "./judge.ts";
import { planOf } from "./run-scenario.ts";
import { knownCapabilities, sharedPlan } from "./share.ts";
import type { RequestedSize } from "./share.ts";

/** What one of several runners left of a scenario. */
export type ScenarioRunner = Omit<LoadPoints, "file"> & {
  /** The file of its points. */
  readonly path: string;
};

export interface TogetherOptions {
  /** What the target is held to; default: what is stated. */
  readonly limits?: HeldLimits | undefined;
  /** Why the runners are not all there; undefined where they are. */
  readonly problem?: string | undefined;
}

export interface TogetherFound {
  readonly checks: readonly RequirementResult[];
  readonly entry: ScenarioEntry;
  /** The entries of the owner's objectives. */
  readonly objectives: ScenarioFinding["objectives"];
}

/**
 * Judges a scenario from all the points of all its runners, as if one had run it. Where a runner or its
 * points are missing, or they ran it in different sizes, it is inconclusive, and the reason names them.
 */
export async function judgeScenarioRunners(
  scenario: Scenario,
  runners: readonly ScenarioRunner[],
  { limits, problem }: TogetherOptions = {},
): Promise<TogetherFound> {
  const asked = runners[0]?.asked;
  const plan = sharedPlan(
    planOf(scenario, {
      durationMs: asked?.durationMs,
      scale: asked?.scale,
      mix: asked?.mix,
      limits,
      target: { capabilities: knownCapabilities(asked?.capabilities ?? []) },
    }),
  );
  const found = judgeScenario({ scenario, plan, ...(await measured(runners, problem)) });
  const { checks, objectives } = found;
  return { checks, objectives, entry: entryOf(scenario, found) };
}

type Measured = Pick<ScenarioRun, "summary" | "undecided" | "durationMs">;

async function measured(
  runners: readonly ScenarioRunner[],
  missing: string | undefined,
): Promise<Measured> {
  const problem = missing ?? problemOf(runners);
  if (problem !== undefined) return apart(problem);
  try {
    const all: K6Points[] = [];
    for (const { path } of runners) {
      const points = new K6Points();
      await points.add(path);
      all.push(points);
    }
    const { series, apartMs } = joinedSeries(all.map((points) => points.series));
    if (apartMs === undefined) return apart("the points of one runner do not say when it began");
    const summary = new Map([...summaryOfPoints(series), ["runners.apart", { max: apartMs }]]);
    const durationMs = Math.round(spanMsOf(all.flatMap(({ requests }) => requests)));
    return { summary, undecided: undefined, durationMs };
  } catch (error) {
    if (error instanceof K6PointsError) return apart(error.message);
    throw error;
  }
}

function apart(reason: string): Measured {
  const undecided = `the runners' results cannot be put together: ${reason}`;
  return { summary: undefined, undecided, durationMs: 0 };
}

/** Each runner has to have run the scenario in the same size, to its end. */
function problemOf(runners: readonly ScenarioRunner[]): string | undefined {
  const [first] = runners;
  const other = runners.find(({ asked }) => textOf(asked) !== textOf(first?.asked));
  if (first !== undefined && other !== undefined) {
    return `runner ${first.runner} ran ${textOf(first.asked)}, runner ${other.runner} ${textOf(other.asked)}`;
  }
  const broken = runners.find(({ undecided }) => undecided !== undefined);
  return broken && `runner ${broken.runner}: ${broken.undecided ?? ""}`;
}

function textOf(asked: RequestedSize | undefined): string {
  if (asked === undefined) return "in a size it does not tell";
  const { durationMs, scale, capabilities, mix } = asked;
  const offered = capabilities.length === 0 ? "nothing" : capabilities.join(", ");
  const mixed = mix === undefined ? "" : ` the mix ${JSON.stringify(mix)}`;
  return `for ${durationMs / 1_000} s at scale ${scale}${mixed} against a target that offers ${offered}`;
}

import type { RequirementResult } from "../../harness/judge.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { LoadPoints, LoadResult, Mismatch } from "../../reports/model.ts";
import type {
  Demand,
  Figures,
  Scenario,
  ScenarioPlan,
  ReadFigure,
} from "../../scenarios/scenario.ts";
import { aloneReason } from "../k6/rate-finding.ts";
import type { K6Summary } from "../k6/summary.ts";
import { checkResult } from "../result.ts";
import { notAnswered } from "../open-loop/judged-load.ts";
import type { JudgedLoad } from "../open-loop/judged-load.ts";
import { objectiveEntryName } from "../objectives/judge-objective.ts";
import { objectivesOf } from "./judge-promises.ts";

export interface ScenarioRun {
  readonly scenario: Scenario;
  readonly plan: ScenarioPlan;
  /** k6's figures and what was seen besides; undefined where k6 left none. */
  readonly summary: K6Summary | undefined;
  /** Why the run as a whole decides nothing. */
  readonly undecided: string | undefined;
  readonly durationMs: number;
}

/** A scenario's entry in a report's `load`. */
export type ScenarioEntry = LoadResult & Required<Pick<LoadResult, "question" | "verdict">>;

/** What the figures of one run answer, with the reason where that is no pass. */
export interface ScenarioFinding extends Omit<ScenarioEntry, "scenario" | "engine" | "question"> {
  /** What it says of requirements: every failure, and a pass only where that is proved. */
  readonly checks: readonly RequirementResult[];
  /** The entries of the owner's objectives. */
  readonly objectives: readonly JudgedLoad[];
}

/** The entry of a scenario and what was found. */
export function entryOf(
  scenario: Scenario,
  { checks: _checks, objectives: _objectives, ...found }: ScenarioFinding,
): ScenarioEntry {
  const { question } = scenario;
  return { scenario: scenarioNameOf(scenario), engine: "k6", question, ...found };
}

/** The name of a scenario's entry in the report, and of its checks. */
export function scenarioNameOf({ name }: Pick<Scenario, "name">): string {
  return `load/k6/${name}`;
}

/**
 * Judges a scenario. An engine that did not do its part decides nothing, whatever its counts are:
 * counts of a load that was late or too small say nothing of the planned one.
 */
export function judgeScenario(run: ScenarioRun): ScenarioFinding {
  const { scenario, plan } = run;
  const read = readerOf(run);
  const figures = figuresOf(plan, read);
  const shortcomings = shortcomingsOf(run, read);
  const isKept = shortcomings.length === 0;
  const objectives = objectivesOf(plan, { read, undecided: shortcomings.join("; ") });
  const failing = new Set(
    objectives.filter(({ verdict }) => verdict === "fail").map((each) => each.scenario),
  );
  const broken = (isKept ? unmet(plan, "target", read) : []).filter(
    ({ promise }) => promise === undefined || failing.has(objectiveEntryName(promise)),
  );
  const checks = checksOf(run, { shortcomings, broken, read });
  const requirements = requirementsOf(plan).toSorted();
  const common = { figures, requirements, checks, objectives };
  if (!isKept) {
    return { ...common, ...notAnswered("inconclusive", shortcomings.join("; ")) };
  }
  const answer = scenario.answer(figures);
  const open = objectives.filter(({ verdict }) => verdict !== "pass" && verdict !== "fail");
  if (broken.length === 0 && open.length > 0) {
    const reason = open.map((each) => `${each.scenario}: ${each.reason ?? ""}`).join("; ");
    return { ...common, ...notAnswered("inconclusive", reason) };
  }
  if (broken.length === 0) return { ...common, verdict: "pass", answer };
  const reason = broken.map((demand) => textOf(demand, read)).join("; ");
  const isPromised = objectives.length > 0;
  return { ...common, verdict: "fail", reason, answer: isPromised ? `No: ${reason}.` : answer };
}

/** The requirements of which a plan can tell something. */
export function requirementsOf({ demands }: ScenarioPlan): readonly RequirementId[] {
  return [...new Set(demands.flatMap(({ requirement }) => requirement ?? []))];
}

/** What one of several runners says of a scenario: alone it decides nothing, and says where its points are. */
export function findingOfRunner(
  scenario: Scenario,
  plan: ScenarioPlan,
  { points, durationMs }: { readonly points: LoadPoints; readonly durationMs: number },
): ScenarioFinding {
  const undecided = points.undecided ?? aloneReason(points);
  const { runner, runners } = points;
  return {
    ...judgeScenario({ scenario, plan, summary: undefined, undecided, durationMs }),
    figures: { runner, runners },
    points,
  };
}

function readerOf({ scenario, plan, summary }: ScenarioRun): ReadFigure {
  const readSummary: ReadFigure = (metric, measure) => {
    const value = summary?.get(metric)?.[measure];
    // k6 leaves out a counter that nothing was added to.
    return value ?? (measure === "count" ? 0 : undefined);
  };
  const derived = scenario.derive?.(readSummary, plan) ?? {};
  return (metric, measure) => derived[metric] ?? readSummary(metric, measure);
}

function figuresOf(plan: ScenarioPlan, read: ReadFigure): Figures {
  return Object.fromEntries(
    plan.figures.flatMap(({ label, metric, measure }) => {
      const value = read(metric, measure);
      return value === undefined ? [] : [[label, rounded(value)]];
    }),
  );
}

function shortcomingsOf({ plan, undecided }: ScenarioRun, read: ReadFigure): readonly string[] {
  if (undecided !== undefined) return [undecided];
  return unmet(plan, "engine", read).map((demand) => `k6: ${textOf(demand, read)}`);
}

function unmet({ demands }: ScenarioPlan, of: Demand["of"], read: ReadFigure): readonly Demand[] {
  return demands.filter((demand) => demand.of === of && !isMet(demand, read));
}

function isMet({ metric, measure, atLeast, atMost }: Demand, read: ReadFigure): boolean {
  const value = read(metric, measure);
  if (value === undefined) return false;
  return value >= (atLeast ?? Number.NEGATIVE_INFINITY) && value <= (atMost ?? Infinity);
}

function textOf(demand: Demand, read: ReadFigure): string {
  return `${gotOf(demand, read)} ${demand.what}, ${expectedOf(demand)}`;
}

function gotOf({ metric, measure }: Demand, read: ReadFigure): string {
  const value = read(metric, measure);
  return value === undefined ? "no figure of" : String(rounded(value));
}

function expectedOf({ atLeast, atMost }: Demand): string {
  const parts = [
    ...(atLeast === undefined ? [] : [`at least ${atLeast}`]),
    ...(atMost === undefined ? [] : [`at most ${rounded(atMost)}`]),
  ];
  return parts.join(" and ");
}

interface Judged {
  readonly shortcomings: readonly string[];
  readonly broken: readonly Demand[];
  readonly read: ReadFigure;
}

function checksOf(
  { scenario, plan, durationMs }: ScenarioRun,
  { shortcomings, broken, read }: Judged,
): readonly RequirementResult[] {
  const header = { name: scenarioNameOf(scenario), title: scenario.question, durationMs };
  const proved = plan.demands.flatMap(({ requirement, proves }) =>
    requirement !== undefined && proves === true ? [requirement] : [],
  );
  const failed = broken.flatMap(({ requirement }) => requirement ?? []);
  return [...new Set([...failed, ...proved])].map((requirement) => {
    const mismatches = broken
      .filter((demand) => demand.requirement === requirement)
      .map((demand) => mismatchOf(demand, { requirement, at: scenario.name, read }));
    return checkResult({ ...header, requirement, mismatches, undecided: shortcomings });
  });
}

function mismatchOf(
  demand: Demand,
  { requirement, at, read }: Pick<Mismatch, "requirement" | "at"> & Pick<Judged, "read">,
): Mismatch {
  return {
    requirement,
    at: `${at}: ${demand.what}`,
    expected: expectedOf(demand),
    got: gotOf(demand, read),
  };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

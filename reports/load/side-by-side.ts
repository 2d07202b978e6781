import type { Report, ReportLoad, ReportRequirement } from "../model.ts";
import type { Verdict } from "../verdict.ts";

export type Engine = ReportLoad["engine"];

/** Strongest engine first; a report shows them in this order. */
export const engines: readonly Engine[] = ["probe", "autocannon", "k6"];

/** Returns the engine of a check by the check's name; undefined for a contract check. */
export function engineOf(checkName: string): Engine | undefined {
  if (checkName.startsWith("load/autocannon/")) return "autocannon";
  if (checkName.startsWith("load/k6/")) return "k6";
  return /^(rate|concurrency)\//.test(checkName) ? "probe" : undefined;
}

/** One engine's verdict on one requirement. */
export interface EngineView {
  readonly engine: Engine;
  readonly check: string;
  readonly verdict: Verdict;
  readonly reason?: string;
  readonly figures: ReportLoad["figures"];
}

/** The verdicts of several engines on one requirement. Nothing is averaged: where they differ, both are shown. */
export interface SideBySide {
  readonly id: string;
  readonly views: readonly EngineView[];
  /** Whether one engine says pass and another fail. */
  readonly disagree: boolean;
}

/** Lists the requirements that have checks of more than one engine, also where a check was not run. */
export function sideBySide({ requirements, load }: Report): readonly SideBySide[] {
  return requirements.flatMap((requirement) => {
    const views = viewsOf(requirement, load);
    if (new Set(views.map(({ engine }) => engine)).size < 2) return [];
    const said = new Set(views.map(({ verdict }) => verdict));
    return [{ id: requirement.id, views, disagree: said.has("pass") && said.has("fail") }];
  });
}

function viewsOf({ id, checks }: ReportRequirement, load: Report["load"]): readonly EngineView[] {
  const views = checks.flatMap((check) => {
    const entry = load.find(
      ({ scenario, requirements }) => scenario === check.name && requirements.includes(id),
    );
    const engine = entry?.engine ?? engineOf(check.name);
    if (engine === undefined) return [];
    const { name, verdict, reason } = check;
    const view = { engine, check: name, verdict, figures: entry?.figures ?? {} };
    return [reason === undefined ? view : { ...view, reason }];
  });
  return views.toSorted((a, b) => engines.indexOf(a.engine) - engines.indexOf(b.engine));
}

/** Lists, one line each, what an engine could not decide of a requirement that passed by another engine. */
export function engineDoubts(report: Report): readonly string[] {
  const passing = new Set(
    report.requirements.filter(({ verdict }) => verdict === "pass").map(({ id }) => id),
  );
  return sideBySide(report)
    .filter(({ id }) => passing.has(id))
    .flatMap(({ id, views }) =>
      views
        .filter(({ verdict }) => verdict === "inconclusive")
        .map(({ engine, reason = "" }) => `${engine} could not decide ${id}: ${reason}`),
    );
}

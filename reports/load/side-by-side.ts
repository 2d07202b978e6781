import type { Report, ReportCheck, ReportRequirement, Verdict } from "../model.ts";
import type { ReportLoad } from "./load-model.ts";

export type Engine = ReportLoad["engine"];

/** The strongest first; a report shows them in this order. */
export const engines: readonly Engine[] = ["probe", "autocannon", "k6"];

/** What one engine says of one requirement. */
export interface EngineView {
  readonly engine: Engine;
  readonly check: string;
  readonly verdict: Verdict;
  readonly reason?: string;
  readonly figures: ReportLoad["figures"];
}

/** What several engines say of one requirement. Nothing is averaged: where they differ, both stand. */
export interface SideBySide {
  readonly id: string;
  readonly views: readonly EngineView[];
  /** One says pass and another fail. */
  readonly disagree: boolean;
}

/** The requirements of a report of which more than one engine had something to say, or was to. */
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
    const engine = entry?.engine ?? engineIn(check);
    if (engine === undefined) return [];
    const { name, verdict, reason } = check;
    const view = { engine, check: name, verdict, figures: entry?.figures ?? {} };
    return [reason === undefined ? view : { ...view, reason }];
  });
  return views.toSorted((a, b) => engines.indexOf(a.engine) - engines.indexOf(b.engine));
}

/** A check that was not run has no figures; its name tells who would have run it. */
function engineIn({ name }: ReportCheck): Engine | undefined {
  if (name.startsWith("load/autocannon/")) return "autocannon";
  if (name.startsWith("load/k6/")) return "k6";
  return /^(rate|concurrency)\//.test(name) ? "probe" : undefined;
}

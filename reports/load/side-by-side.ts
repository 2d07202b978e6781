import type { Report, ReportLoad, ReportRequirement } from "../model.ts";
import { notSelectedReason } from "../not-run.ts";
import type { Verdict } from "../verdict.ts";
import { countText, listText } from "../words.ts";

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

/** Lists, one line for each engine and reason, which engine confirmed nothing of limits that others decided. */
export function engineAbsences(report: Report): readonly string[] {
  const absent = new Map<string, number>();
  for (const { views } of sideBySide(report)) {
    if (!views.some(({ verdict }) => verdict === "pass" || verdict === "fail")) continue;
    for (const { engine, verdict, reason = "" } of views) {
      const key = `${engine}: ${reason}`;
      if (verdict === "not-run" && reason !== notSelectedReason)
        absent.set(key, (absent.get(key) ?? 0) + 1);
    }
  }
  return [...absent].map(
    ([key, count]) => `${countText(count, "limit")} would be confirmed by ${key}`,
  );
}

/** What load saw beside its verdicts, one line each. */
export function loadWarnings({ load }: Report): readonly string[] {
  return [...new Set(load.flatMap(({ warnings = [] }) => warnings))];
}

/** What an engine sees of a limit, the most telling first: it is why one is to be believed rather than another. */
const whatIsSeen: Readonly<Record<Engine, string>> = {
  probe: "it knows when each of its requests was sent and what came of it",
  autocannon: "it sends one request more than the limit allows, at once",
  k6: "it sends at a rate, and counts",
};

/** Lists, one line each, the requirements of which engines say the contrary, which to believe, and why. */
export function engineDisagreements(report: Report): readonly string[] {
  return sideBySide(report)
    .filter(({ disagree }) => disagree)
    .map(({ id, views }) => {
      const decided = views.filter(({ verdict }) => verdict === "pass" || verdict === "fail");
      const said = decided.map(({ engine, verdict, reason, figures }) => {
        const sent = figures["requests"] ?? figures["sent"];
        const details = [sent === undefined ? [] : `${sent} requests`, reason ?? []].flat();
        return `${engine} ${verdict}${details.length === 0 ? "" : ` (${details.join("; ")})`}`;
      });
      const [{ engine } = { engine: "probe" as const }] = decided;
      return `The engines disagree on ${id}: ${listText(said)}. Believe the ${engine}: ${whatIsSeen[engine]}.`;
    });
}

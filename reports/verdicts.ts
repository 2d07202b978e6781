import { engineOf, engines } from "./load/side-by-side.ts";
import type { VerdictCounts, Report, ReportRequirement } from "./model.ts";
import type { Verdict } from "./verdict.ts";

/**
 * Judges a requirement by its checks (docs/read-a-report.md#verdicts): it fails when one check failed, and passes when
 * one passed and none was inconclusive; a check that was not run changes nothing.
 */
export function verdictOfChecks(checks: readonly { readonly verdict: Verdict }[]): Verdict {
  const seen = new Set(checks.map(({ verdict }) => verdict));
  return strongest.find((verdict) => seen.has(verdict)) ?? "not-run";
}

interface NamedVerdict {
  readonly name: string;
  readonly verdict: Verdict;
}

/**
 * Judges a requirement as `verdictOfChecks` does, with one difference: load engines confirm each other, so an engine that
 * could not decide changes nothing where another engine passed.
 */
export function requirementVerdict(checks: readonly NamedVerdict[]): Verdict {
  const byEngine = engines
    .map((engine) => checks.filter(({ name }) => engineOf(name) === engine))
    .filter(({ length }) => length > 0)
    .map(verdictOfChecks);
  const told = byEngine.includes("pass")
    ? byEngine.filter((verdict) => verdict !== "inconclusive")
    : byEngine;
  const others = checks.filter(({ name }) => engineOf(name) === undefined);
  return verdictOfChecks([...others, ...told.map((verdict) => ({ verdict }))]);
}

const strongest: readonly Verdict[] = ["fail", "inconclusive", "pass", "not-run"];

/** Counts requirements and checks. A check under several requirements counts once, by its name. */
export function summarise(requirements: readonly ReportRequirement[]): Report["summary"] {
  const appearances = new Map<string, { readonly verdict: Verdict }[]>();
  for (const check of requirements.flatMap(({ checks }) => checks)) {
    const others = appearances.get(check.name);
    if (others === undefined) appearances.set(check.name, [check]);
    else others.push(check);
  }
  const counts = countBy(requirements.map(({ verdict }) => verdict));
  return {
    requirements: counts,
    checks: countBy([...appearances.values()].map(verdictOfChecks)),
    shares: sharesOf(counts, requirements.length),
  };
}

/** Computes the share of requirements that were decided, and the share of these that held. */
function sharesOf(
  { pass, fail }: VerdictCounts,
  total: number,
): NonNullable<Report["summary"]["shares"]> {
  const decided = pass + fail;
  return decided === 0 ? { decided: 0 } : { decided: decided / total, held: pass / decided };
}

function countBy(list: readonly Verdict[]): VerdictCounts {
  const counts: Record<Verdict, number> = { pass: 0, fail: 0, inconclusive: 0, "not-run": 0 };
  for (const verdict of list) counts[verdict] += 1;
  return counts;
}

/**
 * Returns the exit code of a report (docs/options.md#exit-codes): 1 something failed, 3 the target could not be tested,
 * 4 something was tried and not decided, else 0. A load scenario counts like a requirement.
 */
export function exitCodeOf(report: Report): 0 | 1 | 3 | 4 {
  const isFailed = report.summary.requirements.fail > 0;
  return exitCodeWhere(report, { isFailed, isOpen: undecidedIn(report).length > 0 });
}

/**
 * Returns the exit code of a report where a run's demands say which requirements count as failed or as left open. A
 * failure that does not count as one still shows that the target was tested.
 */
export function exitCodeWhere(
  report: Report,
  { isFailed, isOpen }: { readonly isFailed: boolean; readonly isOpen: boolean },
): 0 | 1 | 3 | 4 {
  const saysNo = scenariosWithVerdict(report).some(({ verdict }) => verdict === "fail");
  if (isFailed || saysNo) return 1;
  if (isUntested(report)) return 3;
  return isOpen ? 4 : 0;
}

/** Whether nothing was decided, or the target stopped answering for good. */
export function isUntested(report: Report): boolean {
  const { pass, fail } = report.summary.requirements;
  return report.targetGone !== undefined || (pass + fail === 0 && !isAnswered(report));
}

/** Whether a load scenario has answered its question. */
export function isAnswered(report: Report): boolean {
  return scenariosWithVerdict(report).some(({ verdict }) => isDecided(verdict));
}

export function isDecided(verdict: Verdict | undefined): boolean {
  return verdict === "pass" || verdict === "fail";
}

/** Lists the inconclusive requirements and load scenarios, except those that may stay undecided. */
export function undecidedIn(report: Report): readonly string[] {
  const requirements = report.requirements.filter(
    ({ verdict, allowed }) => verdict === "inconclusive" && allowed !== true,
  );
  const scenarios = scenariosWithVerdict(report).filter(
    ({ verdict }) => verdict === "inconclusive",
  );
  return [...requirements.map(({ id }) => id), ...scenarios.map(({ scenario }) => scenario)];
}

/** Lists the load scenarios that have a verdict of their own, apart from those of requirements. */
export function scenariosWithVerdict({ load }: Pick<Report, "load">): Report["load"] {
  return load.filter(({ question }) => question !== undefined);
}

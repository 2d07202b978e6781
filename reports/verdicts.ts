import { type Counts, type Report, type ReportRequirement, type Verdict } from "./model.ts";

/**
 * A requirement's verdict from those of its checks (docs/read-a-report.md#verdicts): one failure fails it;
 * it passes when one passed and none was inconclusive; a check that was not run changes nothing.
 */
export function verdictOf(checks: readonly { readonly verdict: Verdict }[]): Verdict {
  const seen = new Set(checks.map(({ verdict }) => verdict));
  return strongest.find((verdict) => seen.has(verdict)) ?? "not-run";
}

const strongest: readonly Verdict[] = ["fail", "inconclusive", "pass", "not-run"];

/** Counts requirements, and checks: one that stands under several requirements counts once, by its name. */
export function summarise(requirements: readonly ReportRequirement[]): Report["summary"] {
  const appearances = new Map<string, { readonly verdict: Verdict }[]>();
  for (const check of requirements.flatMap(({ checks }) => checks)) {
    const others = appearances.get(check.name);
    if (others === undefined) appearances.set(check.name, [check]);
    else others.push(check);
  }
  return {
    requirements: countBy(requirements.map(({ verdict }) => verdict)),
    checks: countBy([...appearances.values()].map(verdictOf)),
  };
}

function countBy(list: readonly Verdict[]): Counts {
  const counts: Record<Verdict, number> = { pass: 0, fail: 0, inconclusive: 0, "not-run": 0 };
  for (const verdict of list) counts[verdict] += 1;
  return counts;
}

/**
 * The exit code a report stands for: 0 none failed, 1 one failed, 3 nothing was decided at all. A
 * question of a load scenario is decided like a requirement.
 */
export function exitCodeOf(report: Report): 0 | 1 | 3 {
  const { pass, fail } = report.summary.requirements;
  const answers = new Set(questionsOf(report).map(({ verdict }) => verdict));
  if (fail > 0 || answers.has("fail")) return 1;
  return pass > 0 || answers.has("pass") ? 0 : 3;
}

/** The load scenarios that ask something of their own. */
export function questionsOf({ load }: Pick<Report, "load">): Report["load"] {
  return load.filter(({ question }) => question !== undefined);
}

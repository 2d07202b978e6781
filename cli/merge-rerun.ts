import { totalsOf } from "../reports/profiles.ts";
import type { Report } from "../reports/model.ts";

/** Merges a rerun of some requirements into a report: these come from `next`, the others stay as in `old`. */
export function mergeRerun(old: Report, next: Report, ids: readonly string[]): Report {
  const again = new Map(next.requirements.map((entry) => [entry.id, entry]));
  const requirements = old.requirements.map((entry) =>
    ids.includes(entry.id) ? (again.get(entry.id) ?? entry) : entry,
  );
  const isAgain = ({ scenario, engine }: Report["load"][number]): boolean =>
    next.load.some((each) => each.scenario === scenario && each.engine === engine);
  return {
    ...next,
    durationMs: old.durationMs + next.durationMs,
    ...totalsOf(requirements),
    deviations: requirements.flatMap(({ deviations = [] }) => deviations),
    requirements,
    load: [...old.load.filter((result) => !isAgain(result)), ...next.load],
  };
}

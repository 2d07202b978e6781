import { requirementIds } from "../openapi/requirements.ts";
import { boundedLine } from "./bounded.ts";
import type { CheckResult, Deviation, Report } from "./model.ts";
import { compareText } from "./groups.ts";

/** Lists each deviation that checks met once, with one example, in the order of the catalogue. */
export function deviationsIn(results: readonly CheckResult[]): readonly Deviation[] {
  const met = new Map<string, Deviation>();
  const byName = results.toSorted((a, b) => compareText(a.name, b.name));
  for (const { requirement, what, seen } of byName.flatMap(({ deviations = [] }) => deviations)) {
    const key = JSON.stringify([requirement, what]);
    if (met.has(key)) continue;
    met.set(key, { requirement, what: boundedLine(what), seen: boundedLine(seen) });
  }
  const places = new Map<string, number>(requirementIds.map((id, place) => [id, place]));
  const placeOf = ({ requirement }: Deviation): number => places.get(requirement) ?? 0;
  return [...met.values()].toSorted(
    (a, b) => placeOf(a) - placeOf(b) || compareText(a.what, b.what),
  );
}

/** One difference of a target, and the requirements that it departs from by it. */
export interface DeviationGroup {
  readonly what: string;
  readonly requirements: readonly string[];
  /** An example. */
  readonly seen: string;
}

/** Groups the deviations of a report by what the target does differently. */
export function groupedDeviations({ deviations = [] }: Report): readonly DeviationGroup[] {
  const groups = new Map<string, DeviationGroup>();
  for (const { requirement, what, seen } of deviations) {
    const group = groups.get(what) ?? { what, seen, requirements: [] };
    groups.set(what, { ...group, requirements: [...group.requirements, requirement] });
  }
  return [...groups.values()];
}

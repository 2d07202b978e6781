import { requirementIds } from "../openapi/index.ts";
import { boundedLine } from "./bounded.ts";
import type { CheckResult, Deviation, Report } from "./model.ts";
import { compareText } from "./order.ts";

/** Every deviation that checks met, once each with one example, in the order of the catalogue. */
export function deviationsIn(results: readonly CheckResult[]): readonly Deviation[] {
  const met = new Map<string, Deviation>();
  const inOrder = results.toSorted((a, b) => compareText(a.name, b.name));
  for (const { requirement, what, seen } of inOrder.flatMap(({ deviations = [] }) => deviations)) {
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

/** One thing that a target does otherwise, and the requirements it departs from with it. */
export interface DeviationGroup {
  readonly what: string;
  readonly requirements: readonly string[];
  /** An example. */
  readonly seen: string;
}

/** The deviations of a report, by what the target does. */
export function groupedDeviations({ deviations = [] }: Report): readonly DeviationGroup[] {
  const groups = new Map<string, DeviationGroup>();
  for (const { requirement, what, seen } of deviations) {
    const group = groups.get(what) ?? { what, seen, requirements: [] };
    groups.set(what, { ...group, requirements: [...group.requirements, requirement] });
  }
  return [...groups.values()];
}

import { requirementIds } from "../../openapi/requirements.ts";
import type { Variation } from "../variations/variation.ts";
import { alarmsOf } from "./kill-matrix.ts";
import type { SuiteRun } from "./suite-job.ts";

/** A permitted variation and what a run of the suite against it found. */
export interface VariationTrial {
  readonly variation: Variation;
  readonly run: SuiteRun;
}

/** What the suite got wrong of a variation, one line each: a false alarm, or a reading it did not see. */
export function variationProblems({ variation, run }: VariationTrial): readonly string[] {
  const shows = variation.shows ?? {};
  const misread = requirementIds.flatMap((id) => {
    const expected = shows[id];
    const seen = readingsOf(run, id);
    if (expected === undefined || (seen.length === 1 && seen[0] === expected)) return [];
    return [`${id} was to be read as "${expected}" and was read as "${seen.join('", "')}"`];
  });
  return [...alarmsOf(run), ...misread].map((problem) => `${variation.name}: ${problem}`);
}

function readingsOf({ findings }: SuiteRun, id: string): readonly string[] {
  const seen = findings.flatMap(({ requirement, reading }) =>
    requirement === id && reading !== undefined ? [reading] : [],
  );
  return [...new Set(seen)];
}

export function variationsSummary(trials: readonly VariationTrial[]): string {
  const clean = trials.filter((trial) => variationProblems(trial).length === 0).length;
  return `${trials.length} permitted variations, ${clean} without a failure`;
}

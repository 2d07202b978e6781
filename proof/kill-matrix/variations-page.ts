import { requirementIds } from "../../openapi/index.ts";
import type { Variation } from "../../reference/variations.ts";
import { code, table } from "./kill-matrix-page.ts";
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

/** The variations as a page of Markdown, in the order of their names. */
export function variationsPage(trials: readonly VariationTrial[]): string {
  const rows = trials
    .toSorted((one, other) => (one.variation.name < other.variation.name ? -1 : 1))
    .map((trial) => {
      const { name, describe, shows = {} } = trial.variation;
      const readings = Object.entries(shows).map(([id, reading]) => `${id}: ${reading}`);
      const verdict = variationProblems(trial).length === 0 ? "no failure" : "**false alarm**";
      return [code(name), describe, readings.join("; "), verdict];
    });
  return `# Permitted variations

Made by \`npm run faults -- --variations\`. Each row is the embedded reference with one difference that
the specification allows, and the whole contract suite was run against each on the virtual clock, with
the load checks of the lowest limits (of all limits where the name begins with \`limits/\`): everything
must be decided and nothing fail. Where the difference is a reading of an open requirement, the
suite has to have read exactly that.

${variationsSummary(trials)}.

${table(["variation", "what is different", "read as", "suite"], rows)}
`;
}

import { runContract } from "../../contracts/run-contract.ts";
import type { TargetSettings } from "../../harness/target.ts";
import type { RequirementResult } from "../../harness/judge.ts";
import type { Verdict } from "../../reports/verdict.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { verdictOfChecks } from "../../reports/verdicts.ts";

/** What a run says of the requirements that were asked for. */
export interface Verdicts {
  readonly verdicts: Readonly<Record<string, Verdict>>;
  readonly results: readonly RequirementResult[];
}

/** Longer checks of the same requirements are left out: what is asked here is quick. */
const timeBudgetMs = 3_000;
const attemptsMax = 3;

/**
 * Checks some requirements against a server on a real clock, with the checks that take 3 s at most. Asks again where a
 * busy machine left one undecided, which is honest and shows nothing of the server.
 */
export async function verdictsOf(
  settings: TargetSettings,
  ids: readonly RequirementId[],
): Promise<Verdicts> {
  for (let attempt = 1; ; attempt += 1) {
    const { results } = await runContract({ ...settings, only: ids, seed: 1, timeBudgetMs });
    const verdicts = Object.fromEntries(
      ids.map((id) => [id, verdictOfChecks(results.filter(({ covers }) => covers.includes(id)))]),
    );
    const isDecided = Object.values(verdicts).every((verdict) => verdict !== "inconclusive");
    if (isDecided || attempt === attemptsMax) return { verdicts, results };
  }
}

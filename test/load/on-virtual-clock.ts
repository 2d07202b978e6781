import type { RequirementResult } from "../../harness/judge.ts";
import { onTestFinished } from "vitest";

import { capabilities } from "../../openapi/capabilities.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { changed, specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import type { BehaviourChange } from "../../reference/behaviour.ts";
import { runRequirements } from "../../load/requirements/run-requirements.ts";

/** What the load checks of some requirements say of a changed reference on a virtual clock. */
export async function resultsOn(
  change: BehaviourChange,
  ids: readonly RequirementId[],
): Promise<readonly RequirementResult[]> {
  const reference = await startReference({ behaviour: changed(specified, change) });
  onTestFinished(() => reference.stop());
  const { baseUrl, controlUrl = "" } = reference;
  const target = { baseUrl, controlUrl, capabilities };
  const run = await runRequirements({
    target,
    requirements: new Set(ids),
    timeBudgetMs: 120_000,
  });
  return run.results;
}

/** The results that are no pass, one line each. */
export function notPassed(found: readonly RequirementResult[]): readonly string[] {
  return found
    .filter(({ verdict }) => verdict !== "pass")
    .map(({ name, verdict, reason }) => `${name} ${verdict}: ${reason ?? ""}`);
}

import type { RequirementResult } from "../../harness/judge.ts";
import { onTestFinished } from "vitest";

import { capabilities } from "../../openapi/capabilities.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { changed, specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import type { BehaviourChange } from "../../reference/behaviour.ts";
import type { Departure } from "../strangers/departures.ts";
import { startStranger } from "../strangers/start-stranger.ts";
import { runRequirements } from "../../load/requirements/run-requirements.ts";

/** What the load checks of some requirements say of a changed reference, which departs so, on a virtual clock. */
export async function resultsOn(
  change: BehaviourChange,
  ids: readonly RequirementId[],
  departures: readonly Departure[] = [],
): Promise<readonly RequirementResult[]> {
  const reference = await startReference({ behaviour: changed(specified, change) });
  onTestFinished(() => reference.stop());
  const { controlUrl = "" } = reference;
  const front =
    departures.length === 0 ? undefined : await startStranger(reference.baseUrl, departures);
  onTestFinished(() => front?.stop());
  const { baseUrl } = front ?? reference;
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

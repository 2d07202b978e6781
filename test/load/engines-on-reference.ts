import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

import type { Capability } from "../../openapi/capabilities.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { changed, specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import type { BehaviourChange } from "../../reference/behaviour.ts";
import type { TargetAccess } from "../../harness/endpoint/endpoint-source.ts";
import { runEngines } from "../../load/engines.ts";
import type { EnginesRun } from "../../load/engines.ts";

/** A reference with changes, as a target of the engines. */
export async function changedTarget(change: BehaviourChange = {}): Promise<TargetAccess> {
  const reference = await startReference({ behaviour: changed(specified, change) });
  onTestFinished(() => reference.stop());
  const capabilities: readonly Capability[] = ["endpoints", "handler", "openai", "requests"];
  return { baseUrl: reference.baseUrl, controlUrl: reference.controlUrl ?? "", capabilities };
}

/** Lets the engines decide some requirements; without a K6_PATH there is no k6. */
export function runEnginesOn(
  target: TargetAccess,
  ids: readonly RequirementId[],
  environment: Readonly<Record<string, string | undefined>> = { PATH: "" },
): Promise<EnginesRun> {
  return runEngines({
    target,
    requirements: new Set(ids),
    environment: { ...environment, XDG_CACHE_HOME: join(tmpdir(), "queueproof-no-k6-here") },
    timeBudgetMs: 120_000,
  });
}

/** The verdict of each check by its name. */
export function verdictsOf({ results }: EnginesRun): Readonly<Record<string, string>> {
  return Object.fromEntries(results.map(({ name, verdict }) => [name, verdict]));
}

import { afterAll } from "vitest";

import type { Capability } from "../../openapi/capabilities.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { changed, specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import { faultNamed } from "../../proof/faults/faults.ts";
import type { BehaviourChange } from "../../reference/behaviour.ts";
import type { Reference } from "../../reference/start-reference.ts";
import { runRequirements } from "../../load/requirements/run-requirements.ts";
import type { RequirementsRun } from "../../load/requirements/run-requirements.ts";
import { LoadSession } from "../../load/requirements/load-session.ts";
import type { TargetAccess } from "../../harness/endpoint/endpoint-source.ts";

export const offered: readonly Capability[] = [
  ...(["load", "handler", "workers", "allowance", "endpoints", "hold"] as const),
  ...(["openai", "requests"] as const),
];

export interface RealClockRuns {
  /** A server of which nothing is known but an address and a key. */
  readonly onStranger: (change: BehaviourChange, id: RequirementId) => Promise<RequirementsRun>;
  /** One that makes endpoints and holds answers, whose time passes by itself. */
  readonly withControl: (change: BehaviourChange, id: RequirementId) => Promise<RequirementsRun>;
  readonly sessionOf: (change: BehaviourChange) => Promise<LoadSession>;
}

/** References for tests that run side by side: all are stopped once the last has ended. */
export function onRealClock(): RealClockRuns {
  const running: Reference[] = [];
  const stands: LoadSession[] = [];
  afterAll(async () => {
    for (const session of stands.splice(0)) await session.close();
    for (const reference of running.splice(0)) await reference.stop();
  });
  const targetOf = async (change: BehaviourChange): Promise<TargetAccess> => {
    const reference = await startReference({ behaviour: changed(specified, change) });
    running.push(reference);
    const { baseUrl, controlUrl = "" } = reference;
    return { baseUrl, controlUrl, capabilities: offered };
  };
  return {
    onStranger: async (change, id) => {
      const behaviour = changed(specified, change);
      const reference = await startReference({ behaviour, control: false });
      running.push(reference);
      const { baseUrl, endpointId, apiKey } = reference;
      const capabilities = ["load", "openai", "requests"] as const;
      return decide({ baseUrl, endpointId, apiKey, capabilities }, id);
    },
    withControl: async (change, id) => decide(await targetOf(change), id),
    sessionOf: async (change) => {
      const session = new LoadSession(await targetOf(change));
      stands.push(session);
      return session;
    },
  };
}

function decide(target: TargetAccess, id: RequirementId): Promise<RequirementsRun> {
  return runRequirements({ target, requirements: new Set([id]), timeBudgetMs: 600_000 });
}

/** What a fault of the fault table changes. */
export function changeOf(name: string): BehaviourChange {
  const fault = faultNamed(name);
  if (fault === undefined) throw new Error(`there is no fault ${name}`);
  return fault.change(specified);
}

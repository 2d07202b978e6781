import { onTestFinished } from "vitest";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RequirementResult } from "../../harness/judge.ts";
import { capabilities } from "../../openapi/capabilities.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { changed, specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import type { BehaviourChange, Behaviour } from "../../reference/behaviour.ts";
import type { Departure } from "../strangers/departures.ts";
import { startStranger } from "../strangers/departures.ts";
import { runRequirements } from "../../load/requirements/run-requirements.ts";
import type { TargetAccess } from "../../harness/endpoint/endpoint-source.ts";
import { runEngines } from "../../load/engines.ts";
import type { EnginesRun } from "../../load/engines.ts";
import { ControlClient } from "../../client/control-client.ts";
import { JobClient } from "../../client/job-client.ts";
import { Redactor } from "../../client/redactor.ts";
import { Transport } from "../../client/transport.ts";
import { rulesFor } from "../../client/request-rules.ts";
import { tierOf } from "../../openapi/operations.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { EngineFinding } from "../../load/result.ts";
import { startFront } from "../fronts/start-front.ts";
import type { Mood } from "../fronts/moods.ts";
import { runAutocannonRate } from "../../load/autocannon/rate.ts";

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

/** A reference with changes, as a target of the engines. */
export async function changedTarget(change: BehaviourChange = {}): Promise<TargetAccess> {
  const reference = await startReference({ behaviour: changed(specified, change) });
  onTestFinished(() => reference.stop());
  return {
    baseUrl: reference.baseUrl,
    controlUrl: reference.controlUrl ?? "",
    capabilities: ["endpoints", "handler", "openai", "requests"],
  };
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

/** What stands between the burst and the reference. */
interface Between {
  readonly idOf?: (endpointId: string) => string;
  readonly mood?: Mood;
}

/** What the burst of an operation finds on a reference of that behaviour, on a virtual clock. */
export async function burstOnReference(
  operation: OperationName,
  behaviour: Behaviour,
  { idOf = (endpointId) => endpointId, mood }: Between = {},
): Promise<EngineFinding> {
  const reference = await startReference({ behaviour });
  onTestFinished(() => reference.stop());
  const front = mood === undefined ? undefined : await startFront(reference.baseUrl, mood);
  onTestFinished(() => front?.stop());
  const { baseUrl } = front ?? reference;
  const { controlUrl } = reference;
  const transport = new Transport(rulesFor({ baseUrl, controlUrl }));
  onTestFinished(() => transport.close());
  const control = new ControlClient(transport, controlUrl ?? "");
  return runAutocannonRate(tierOf(operation), {
    freshClient: async () => {
      const { endpointId: madeId, apiKey } = await control.createEndpoint();
      const endpointId = idOf(madeId);
      return new JobClient({ transport, redactor: new Redactor(), baseUrl, endpointId, apiKey });
    },
  });
}

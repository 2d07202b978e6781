import { kindsOf } from "../../harness/inputs/jobs-file.ts";
import type { OwnJobKinds } from "../../harness/inputs/jobs-file.ts";
import type { Capability } from "../../openapi/capabilities.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { changed, specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import type { BehaviourChange } from "../../reference/behaviour.ts";
import { statedLimits } from "../../scenarios/scenario.ts";
import { scenarios } from "../../scenarios/scenarios.ts";
import type { Limiter } from "../../reference/limiters.ts";
import { FixedFromFirst } from "../../reference/limiters.ts";
import type { ScenarioFinding } from "../../load/scenarios/judge.ts";
import { runScenario } from "../../load/scenarios/run-scenario.ts";
import type { ScenarioOptions } from "../../load/scenarios/run-scenario.ts";

export const everything: readonly Capability[] = [
  "handler",
  "webhook",
  "workers",
  "endpoints",
  "clock",
  "openai",
  "requests",
  "load",
];

export interface NamedRunOptions extends Pick<
  ScenarioOptions,
  "k6" | "durationMs" | "scale" | "mix" | "webhookGraceMs"
> {
  /** What the reference does wrong. */
  readonly behaviour?: BehaviourChange;
  /** Jobs of the owner's own, in place of the conformance handler. */
  readonly jobs?: OwnJobKinds;
  /** Limits of another window: the reference keeps them, and is held to them. */
  readonly windowMs?: number;
}

/** Runs one scenario against an embedded reference of its own. */
export async function ask(
  name: string,
  { behaviour = {}, windowMs, jobs, ...size }: NamedRunOptions,
): Promise<ScenarioFinding> {
  const scenario = scenarios.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario called ${name}`);
  const held = windowMs === undefined ? {} : shortened(windowMs);
  const limits = { ...held, ...behaviour.limits };
  const reference = await startReference({
    behaviour: changed(specified, { ...behaviour, limits }),
  });
  try {
    return await runScenario(scenario, {
      ...size,
      ...(windowMs === undefined ? {} : { limits: { windowMs, of: perWindow(windowMs) } }),
      environment: process.env,
      target: {
        baseUrl: reference.baseUrl,
        controlUrl: reference.controlUrl ?? "",
        ...(jobs === undefined ? { capabilities: everything } : ownJobs(jobs)),
      },
    });
  } finally {
    await reference.stop();
  }
}

function ownJobs(jobs: OwnJobKinds): {
  readonly jobs: OwnJobKinds;
  readonly capabilities: readonly Capability[];
} {
  const offered = everything.filter((each) => each !== "handler");
  return { jobs, capabilities: [...offered, ...kindsOf(jobs)] };
}

export function shortened(windowMs: number): {
  readonly requestsPerWindow: (operation: OperationName) => number;
  readonly limiterOf: () => Limiter;
} {
  return {
    requestsPerWindow: perWindow(windowMs),
    limiterOf: () => new FixedFromFirst(windowMs),
  };
}

/** The stated limits' rates over another window. */
export function perWindow(windowMs: number): (operation: OperationName) => number {
  return (operation) => (statedLimits.of(operation) * windowMs) / statedLimits.windowMs;
}

/** The stated limits, except for some. */
export function lowered(
  limits: Readonly<Partial<Record<OperationName, number>>>,
): Pick<NonNullable<BehaviourChange["limits"]>, "requestsPerWindow"> {
  return { requestsPerWindow: (operation) => limits[operation] ?? statedLimits.of(operation) };
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
import { judgeScenarioRunners } from "../../load/scenarios/judge-runners.ts";
import type { TogetherFound } from "../../load/scenarios/judge-runners.ts";

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

function scenarioNamed(name: string): (typeof scenarios)[number] {
  const scenario = scenarios.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario called ${name}`);
  return scenario;
}

/** Runs one scenario against an embedded reference of its own. */
export async function ask(
  name: string,
  { behaviour = {}, windowMs, jobs, ...size }: NamedRunOptions,
): Promise<ScenarioFinding> {
  const scenario = scenarioNamed(name);
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

export interface SharedRunOptions extends NamedRunOptions {
  /** The window of the reference's limits, and of those that it is held to. */
  readonly windowMs: number;
  /** How long each runner waits beyond the common start; default 0. */
  readonly lateMs?: readonly number[];
}

export interface SharedFindings extends TogetherFound {
  /** What each runner said alone. */
  readonly alone: readonly ScenarioFinding[];
}

/** How long every k6 gets to start, after the silence and before the runners begin. */
const leadMs = 2_500;

/** Three runners share one scenario on the one endpoint of an embedded reference; they are judged together. */
export async function runShared(
  name: string,
  { behaviour = {}, windowMs, lateMs = [0, 0, 0], ...size }: SharedRunOptions,
): Promise<SharedFindings> {
  const scenario = scenarioNamed(name);
  const directory = await mkdtemp(join(tmpdir(), "queueproof-together-"));
  const limits = { windowMs, of: limitOf(windowMs) };
  const reference = await startReference({
    behaviour: changed(specified, behaviourOf(behaviour, windowMs)),
    defaultEndpoint: { workers: 10 },
  });
  const { baseUrl, endpointId, apiKey } = reference;
  const target = { baseUrl, endpointId, apiKey, capabilities: everything };
  const startAtMs = Date.now() + 2 * windowMs + 1_000 + leadMs;
  try {
    const alone = await Promise.all(
      lateMs.map((late, at) =>
        runScenario(scenario, {
          ...size,
          limits,
          target,
          environment: process.env,
          share: {
            directory,
            segment: { index: at + 1, of: lateMs.length },
            startAtMs: startAtMs + late,
          },
        }),
      ),
    );
    const runners = alone.flatMap(({ points }) =>
      points === undefined ? [] : [{ ...points, path: join(directory, points.file) }],
    );
    return { alone, ...(await judgeScenarioRunners(scenario, runners, { limits })) };
  } finally {
    await reference.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

function behaviourOf(behaviour: BehaviourChange, windowMs: number): BehaviourChange {
  const held = { ...shortened(windowMs), requestsPerWindow: limitOf(windowMs) };
  return { ...behaviour, limits: { ...held, ...behaviour.limits } };
}

/** The least limit that a short window gets, so that it can be halved. */
const limitMin = 8;

/** The stated limits' rates over such a window. */
export function limitOf(windowMs: number): (operation: OperationName) => number {
  const stated = perWindow(windowMs);
  return (operation) => Math.max(limitMin, stated(operation));
}

import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";

import { endpointAddressOf } from "../../client/endpoint-address.ts";
import { rulesFor } from "../../client/request-rules.ts";
import { segmentOf } from "../../client/job-client.ts";
import type { JobClient } from "../../client/job-client.ts";
import { Inconclusive, stopReason } from "../../harness/outcome.ts";
import type { OwnJobKinds } from "../../harness/inputs/jobs-file.ts";
import { isJobKind } from "../../openapi/capabilities.ts";
import type { Capability } from "../../openapi/capabilities.ts";
import { lackingReason } from "../../reports/not-run.ts";
import { statedLimits } from "../../scenarios/scenario.ts";
import type {
  HeldLimits,
  OfferedMix,
  OwnJobSizes,
  Scenario,
  ScenarioPlan,
  ScenarioSize,
} from "../../scenarios/scenario.ts";
import type { K6OwnJobs, K6ScenarioSettings } from "../../scenarios/k6/settings.ts";
import { appendPoints } from "../distributed/append-points.ts";
import type { Series } from "../k6/points.ts";
import { summaryOfPoints } from "../distributed/summary-of-points.ts";
import { EngineEndpoints, noEndpointReason } from "../engine-endpoints.ts";
import { hasEndpoint } from "../../harness/endpoint/endpoint-source.ts";
import { obstacleToEngine } from "../engine-obstacles.ts";
import type { TargetAccess } from "../../harness/endpoint/endpoint-source.ts";
import { k6Script, untilStartMs } from "../k6/rate.ts";
import type { K6Share } from "../k6/rate.ts";
import { dashboardIn, runK6 } from "../k6/run.ts";
import type { K6Ending, K6Run } from "../k6/run.ts";
import { countOf } from "../k6/summary.ts";
import { findingOfRunner, judgeScenario } from "./judge.ts";
import type { ScenarioFinding } from "./judge.ts";
import { ScenarioReceiver } from "./receiver.ts";
import type { ReceiverOptions } from "./receiver.ts";
import { scenarioSettings } from "./settings.ts";
import { sharedTarget } from "../distributed/shared-target.ts";
import { pointsOf } from "../k6/segment.ts";
import { watchMemory } from "./target-memory.ts";

export interface ScenarioOptions extends Pick<K6Run, "k6" | "environment" | "signal" | "meter"> {
  readonly target: TargetAccess;
  /** Default: the scenario's own. */
  readonly durationMs?: number | undefined;
  /** Default 1. */
  readonly scale?: number | undefined;
  /** What the owner sends and promises, for the scenario that takes it. */
  readonly mix?: OfferedMix | undefined;
  /** What the target is held to; default: what is stated. */
  readonly limits?: HeldLimits | undefined;
  /** Where k6's own report goes, in a folder called k6. */
  readonly reportDirectory?: string;
  readonly webhook?: ReceiverOptions;
  /** How long webhooks that have not come yet are waited for. */
  readonly webhookGraceMs?: number;
  /** Set where this process does only its share of a scenario that several run together. */
  readonly share?: K6Share | undefined;
}

/** The options on which the size of a scenario depends. */
interface SizeOptions extends Pick<ScenarioOptions, "durationMs" | "scale" | "mix" | "limits"> {
  readonly target: Pick<TargetAccess, "capabilities" | "jobs">;
}

/** The plan of a scenario under these options. */
export function planOf(scenario: Scenario, options: SizeOptions): ScenarioPlan {
  return scenario.plan({
    ...requestedSize(scenario, options),
    limits: options.limits ?? statedLimits,
  });
}

/** The size that is asked for. */
function requestedSize(
  scenario: Scenario,
  { durationMs = scenario.durationMs, scale = 1, mix, target }: SizeOptions,
): Omit<ScenarioSize, "limits"> {
  const own = ownJobsOf(target);
  return {
    durationMs,
    scale,
    capabilities: target.capabilities,
    ...(scenario.takesMix === true && mix !== undefined && { mix }),
    ...(own !== undefined && { own: ownSizesOf(own) }),
  };
}

/** The jobs of the owner's jobs file that stand in for those of the handler; undefined where that is there. */
function ownJobsOf({
  capabilities,
  jobs,
}: Pick<TargetAccess, "capabilities" | "jobs">): OwnJobKinds | undefined {
  return capabilities.includes("handler") ? undefined : jobs;
}

function ownSizesOf({ quick, known = [], streaming }: OwnJobKinds): OwnJobSizes {
  return {
    quickMs: Math.max(0, ...[quick, ...known].map((job) => job?.atMostMs ?? 0)),
    streamingMs: streaming?.atMostMs ?? 0,
    chunks: streaming?.chunksAtLeast ?? 0,
  };
}

function inputsOf({ quick, known = [], slow, streaming }: OwnJobKinds): K6OwnJobs {
  const ofKnownOutput = known.map(({ input, output }) => ({ input, output }));
  const ofAnyOutput = quick === undefined ? [] : [{ input: quick.input }];
  return {
    quick: ofKnownOutput.length > 0 ? ofKnownOutput : ofAnyOutput,
    ...(slow !== undefined && { slow: slow.input }),
    ...(streaming !== undefined && { streaming: streaming.input }),
  };
}

/** What a scenario needs and the target has not: every kind of job is one of the handler's, too. */
export function lackingFor(
  { needs }: Scenario,
  offered: readonly Capability[],
): readonly Capability[] {
  const hasHandler = offered.includes("handler");
  return needs.filter((need) => !offered.includes(need) && !(hasHandler && isJobKind(need)));
}

/** Why a scenario cannot run against this target; undefined where it can. */
export function obstacleTo(scenario: Scenario, target: TargetAccess): string | undefined {
  const missing = lackingFor(scenario, target.capabilities);
  if (missing.length > 0) return lackingReason(missing);
  const unreached = obstacleToEngine("k6", rulesFor(target), target.baseUrl);
  if (unreached !== undefined) return unreached;
  return hasEndpoint(target) ? undefined : noEndpointReason;
}

/** A webhook that failed is called again after 10 s (HOOK-05). */
const webhookGraceMsDefault = 12_000;

/** How long starting and stopping may take, besides the phases. */
const marginMs = 90_000;

/**
 * Runs one scenario by k6, on a fresh endpoint where the target makes them. One of several runners
 * does its share on the endpoint there is, leaves its points, and decides nothing.
 */
export async function runScenario(
  scenario: Scenario,
  options: ScenarioOptions,
): Promise<ScenarioFinding> {
  const { share } = options;
  const target = share === undefined ? options.target : sharedTarget(options.target);
  const plan = planOf(scenario, { ...options, target });
  const endpoints = new EngineEndpoints(target);
  try {
    const run = { scenario, plan, options: { ...options, target }, endpoints };
    const outcome = await runOnce(run).catch(notStarted);
    if (share !== undefined) return await leftByRunner(run, outcome, share);
    const { ending, seen } = outcome;
    return judgeScenario({
      scenario,
      plan,
      summary: ending.summary && new Map([...ending.summary, ...summaryOfPoints(seen)]),
      undecided: ending.undecided,
      durationMs: ending.durationMs,
    });
  } finally {
    await endpoints.close();
  }
}

interface Run {
  readonly scenario: Scenario;
  readonly plan: ScenarioPlan;
  readonly options: ScenarioOptions;
  readonly endpoints: EngineEndpoints;
}

interface K6Outcome {
  readonly ending: Omit<K6Ending, "exitCode">;
  /** What was seen beside k6. */
  readonly seen: ReadonlyMap<string, Series>;
}

/** The outcome of a scenario that did not start after all. @throws the error where it says no more than that */
function notStarted(error: unknown): K6Outcome {
  if (!(error instanceof Inconclusive)) throw error;
  return { ending: { undecided: error.message, durationMs: 0 }, seen: new Map() };
}

/** @throws Inconclusive where it did not start */
async function runOnce({ scenario, plan, options, endpoints }: Run): Promise<K6Outcome> {
  const { target, share, signal, meter, webhook } = options;
  const receiver = scenario.needs.includes("webhook")
    ? await ScenarioReceiver.start({ ...webhook, runner: share?.segment.index })
    : undefined;
  try {
    const client = await restedClient(scenario, options, endpoints);
    const memory = await watchMemory(target.baseUrl, share?.startAtMs);
    const ending = await runK6({
      k6: options.k6,
      rules: endpoints.rules,
      environment: options.environment,
      script: k6Script(scenario.name),
      settings: settingsFor(plan, client.options, options, receiver),
      timeLimitMs: untilStartMs(share) + longestMs(plan) + marginMs,
      redact: (text) => endpoints.redactor.redact(text),
      signal,
      meter,
      dashboard: dashboardIn(options.reportDirectory, scenario.name),
      ...(share === undefined ? {} : await shareOf(scenario, share)),
    });
    const seen = new Map([...memory.end(), ...(await webhooksSeen(receiver, ending, options))]);
    return { ending, seen };
  } finally {
    await receiver?.close();
  }
}

/**
 * The client of an endpoint that has been left alone for long enough.
 * @throws Inconclusive where the run was stopped meanwhile
 */
async function restedClient(
  scenario: Scenario,
  { target, signal, limits = statedLimits }: ScenarioOptions,
  endpoints: EngineEndpoints,
): Promise<JobClient> {
  const wanted = endpointFor(scenario, target);
  try {
    return await endpoints.nextRested(signal, wanted, limits.windowMs);
  } catch (error) {
    if (signal?.aborted !== true) throw error;
    throw new Inconclusive(`${stopReason(signal)} before it started`, [], { cause: error });
  }
}

/** What k6 is told of its share. Makes the folder of the points. */
async function shareOf(
  { name }: Scenario,
  { segment, startAtMs, directory }: K6Share,
): Promise<Pick<K6Run, "segment" | "startAtMs" | "pointsFile">> {
  const pointsFile = join(directory, pointsOf(name, segment).file);
  await mkdir(dirname(pointsFile), { recursive: true });
  return { segment, pointsFile, startAtMs };
}

async function leftByRunner(
  { scenario, plan, options }: Run,
  { ending, seen }: K6Outcome,
  { segment, directory }: K6Share,
): Promise<ScenarioFinding> {
  const { undecided, durationMs } = ending;
  const points = { ...pointsOf(scenario.name, segment), asked: requestedSize(scenario, options) };
  if (undecided === undefined) await appendPoints(join(directory, points.file), seen);
  return findingOfRunner(scenario, plan, {
    durationMs,
    points: { ...points, ...(undecided === undefined ? {} : { undecided }) },
  });
}

/** The endpoint's options. A target without a virtual clock gets a real one. */
function endpointFor({ endpoint }: Scenario, { capabilities }: TargetAccess): Scenario["endpoint"] {
  return capabilities.includes("clock") ? endpoint : { ...endpoint, clock: "real" };
}

async function webhooksSeen(
  receiver: ScenarioReceiver | undefined,
  { summary }: K6Ending,
  { webhookGraceMs = webhookGraceMsDefault }: ScenarioOptions,
): Promise<ReadonlyMap<string, Series>> {
  if (receiver === undefined || summary === undefined) return new Map();
  const expected = countOf(summary, "jobs_accepted");
  await receiver.awaitCalls(expected, webhookGraceMs);
  return receiver.series(expected);
}

function settingsFor(
  plan: ScenarioPlan,
  client: JobClient["options"],
  { target, share }: ScenarioOptions,
  receiver: ScenarioReceiver | undefined,
): K6ScenarioSettings {
  const id = segmentOf(client.endpointId);
  const { controlUrl } = target;
  const own = ownJobsOf(target);
  return scenarioSettings(plan, {
    endpoint: endpointAddressOf(client),
    controlUrl: controlUrl === undefined ? undefined : `${controlUrl}/endpoints/${id}`,
    webhookUrl: receiver?.url,
    isPart: share !== undefined,
    ...(own !== undefined && { own: inputsOf(own) }),
  });
}

function longestMs({ phases }: ScenarioPlan): number {
  return Math.max(
    ...phases.map((phase) =>
      phase.kind === "virtual-users" ? phase.longestMs : phase.startMs + phase.durationMs,
    ),
  );
}

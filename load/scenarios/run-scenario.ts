import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";

import { rulesFor, segmentOf } from "../../client/index.ts";
import type { JobClient } from "../../client/index.ts";
import { Inconclusive, stopReason } from "../../harness/outcome.ts";
import { lackingReason } from "../../reports/not-run.ts";
import { statedLimits } from "../../scenarios/scenario.ts";
import type { HeldLimits, Scenario, ScenarioPlan, ScenarioSize } from "../../scenarios/scenario.ts";
import type { K6ScenarioSettings } from "../../scenarios/k6/settings.ts";
import { appendPoints } from "../distributed/append-points.ts";
import type { Series } from "../k6/points.ts";
import { summaryOfPoints } from "../distributed/summary-of-points.ts";
import { EngineEndpoints, noEndpointReason } from "../engine-endpoints.ts";
import { hasEndpoint } from "../../harness/endpoint/endpoint-source.ts";
import { obstacleToEngine } from "../engine-obstacles.ts";
import type { TargetAccess } from "../../harness/endpoint/endpoint-source.ts";
import { k6Script, untilStartMs } from "../k6/rate.ts";
import type { K6Share } from "../k6/rate.ts";
import { runK6 } from "../k6/run.ts";
import type { K6Ending, K6Run } from "../k6/run.ts";
import { countOf } from "../k6/summary.ts";
import { judgeScenario } from "./judge.ts";
import type { ScenarioFinding } from "./judge.ts";
import { ScenarioReceiver } from "./receiver.ts";
import type { ReceiverOptions } from "./receiver.ts";
import { findingOfRunner } from "./runner-finding.ts";
import { scenarioSettings } from "./settings.ts";
import { sharedTarget } from "../distributed/shared-target.ts";
import { pointsOf } from "./share.ts";
import type { AskedSize } from "./share.ts";
import { watchMemory } from "./target-memory.ts";

export interface ScenarioOptions extends Pick<K6Run, "k6" | "environment" | "signal" | "meter"> {
  readonly target: TargetAccess;
  /** Default: the question's own. */
  readonly durationMs?: number | undefined;
  /** Default 1. */
  readonly scale?: number | undefined;
  /** What the target is held to; default: what is stated. */
  readonly limits?: HeldLimits;
  /** Where k6's own report goes, in a folder called k6. */
  readonly reportDirectory?: string;
  readonly webhook?: ReceiverOptions;
  /** How long webhooks that have not come yet are waited for. */
  readonly webhookGraceMs?: number;
  /** Set where this process does only its share of a question that several ask together. */
  readonly share?: K6Share;
}

/** What a question is asked like under these options. */
export function planOf(
  question: Scenario,
  options: Pick<ScenarioOptions, "durationMs" | "scale" | "limits"> & {
    readonly target: Pick<TargetAccess, "capabilities">;
  },
): ScenarioPlan {
  const size: ScenarioSize = {
    durationMs: options.durationMs ?? question.durationMs,
    scale: options.scale ?? 1,
    limits: options.limits ?? statedLimits,
    capabilities: options.target.capabilities,
  };
  return question.plan(size);
}

/** Why a question cannot be asked of this target; undefined where it can. */
export function obstacleTo(question: Scenario, target: TargetAccess): string | undefined {
  const missing = question.needs.filter((capability) => !target.capabilities.includes(capability));
  if (missing.length > 0) return lackingReason(missing);
  const unreached = obstacleToEngine("k6", rulesFor(target), target.baseUrl);
  if (unreached !== undefined) return unreached;
  return hasEndpoint(target) ? undefined : noEndpointReason;
}

/** A webhook that failed is called again after 10 s (HOOK-05). */
const webhookGraceMsDefault = 12_000;

/** What starting and stopping may take beside the phases. */
const marginMs = 90_000;

/**
 * Asks one question by k6, of a fresh endpoint where the target makes them. One of several runners
 * does its share of the endpoint there is, leaves its points, and decides nothing.
 */
export async function runScenario(
  question: Scenario,
  options: ScenarioOptions,
): Promise<ScenarioFinding> {
  const { share } = options;
  const target = share === undefined ? options.target : sharedTarget(options.target);
  const plan = planOf(question, { ...options, target });
  const endpoints = new EngineEndpoints(target);
  const receiver = await receiverFor(question, options);
  try {
    const run = { question, plan, options: { ...options, target }, endpoints };
    const asked = isRefusal(receiver) ? unasked(receiver) : await askedOnce(run, receiver);
    if (share !== undefined) return await leftByRunner(run, asked, share);
    const { ending, seen } = asked;
    return judgeScenario({
      question,
      plan,
      summary: ending.summary && new Map([...ending.summary, ...summaryOfPoints(seen)]),
      undecided: ending.undecided,
      durationMs: ending.durationMs,
    });
  } finally {
    if (!isRefusal(receiver)) await receiver?.close();
    await endpoints.close();
  }
}

interface Run {
  readonly question: Scenario;
  readonly plan: ScenarioPlan;
  readonly options: ScenarioOptions;
  readonly endpoints: EngineEndpoints;
}

/** Why a question is not asked after all. */
interface Refusal {
  readonly undecided: string;
}

function isRefusal(value: object | undefined): value is Refusal {
  return value !== undefined && "undecided" in value;
}

/** Absent where no webhook is called. */
async function receiverFor(
  { needs }: Scenario,
  { webhook, share }: ScenarioOptions,
): Promise<ScenarioReceiver | Refusal | undefined> {
  if (!needs.includes("webhook")) return undefined;
  try {
    return await ScenarioReceiver.start({ ...webhook, runner: share?.segment.index });
  } catch (error) {
    if (error instanceof Inconclusive) return { undecided: error.message };
    throw error;
  }
}

interface AskedOnce {
  readonly ending: K6Ending;
  /** What was seen beside k6. */
  readonly seen: ReadonlyMap<string, Series>;
}

function unasked(refusal: Refusal): AskedOnce {
  return { ending: { ...refusal, exitCode: null, lastWords: "", durationMs: 0 }, seen: new Map() };
}

async function askedOnce(
  { question, plan, options, endpoints }: Run,
  receiver: ScenarioReceiver | undefined,
): Promise<AskedOnce> {
  const { target, share, signal, meter } = options;
  const client = await restedClient(question, options, endpoints);
  if (isRefusal(client)) return unasked(client);
  const memory = await watchMemory(target.baseUrl, share?.startAtMs);
  const ending = await runK6({
    k6: options.k6,
    rules: endpoints.rules,
    environment: options.environment,
    script: k6Script(question.name),
    settings: settingsFor(plan, client.options, options, receiver),
    timeLimitMs: untilStartMs(share) + longestMs(plan) + marginMs,
    redact: (text) => endpoints.redactor.redact(text),
    ...(signal === undefined ? {} : { signal }),
    ...(meter === undefined ? {} : { meter }),
    ...(options.reportDirectory === undefined
      ? {}
      : { dashboard: { directory: join(options.reportDirectory, "k6"), name: question.name } }),
    ...(share === undefined ? {} : await shareOf(question, options, share)),
  });
  const seen = new Map([...memory.end(), ...(await webhooksSeen(receiver, ending, options))]);
  return { ending, seen };
}

/** Or why there is none, where the run is stopped in the silence before. */
async function restedClient(
  question: Scenario,
  { target, signal, limits = statedLimits }: ScenarioOptions,
  endpoints: EngineEndpoints,
): Promise<JobClient | Refusal> {
  const wanted = endpointFor(question, target);
  try {
    return await endpoints.nextRested(signal, wanted, limits.windowMs);
  } catch (error) {
    if (signal?.aborted !== true) throw error;
    return { undecided: `${stopReason(signal)} before it was asked` };
  }
}

/** What k6 is told of its share; the folder of the points is made. */
async function shareOf(
  question: Scenario,
  options: ScenarioOptions,
  { segment, startAtMs, directory }: K6Share,
): Promise<Pick<K6Run, "segment" | "startAtMs" | "pointsFile">> {
  const pointsFile = join(directory, pointsOf(question, segment, askedOf(question, options)).file);
  await mkdir(dirname(pointsFile), { recursive: true });
  return { segment, pointsFile, ...(startAtMs === undefined ? {} : { startAtMs }) };
}

async function leftByRunner(
  { question, plan, options }: Run,
  { ending, seen }: AskedOnce,
  { segment, directory }: K6Share,
): Promise<ScenarioFinding> {
  const { undecided, durationMs } = ending;
  const points = pointsOf(question, segment, askedOf(question, options));
  if (undecided === undefined) await appendPoints(join(directory, points.file), seen);
  return findingOfRunner(question, plan, {
    durationMs,
    points: { ...points, ...(undecided === undefined ? {} : { undecided }) },
  });
}

function askedOf(question: Scenario, { durationMs, scale, target }: ScenarioOptions): AskedSize {
  return {
    durationMs: durationMs ?? question.durationMs,
    scale: scale ?? 1,
    capabilities: target.capabilities,
  };
}

/** A virtual clock stands still unless it is moved: it is only for targets that have one. */
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
  { baseUrl, endpointId, apiKey = "" }: JobClient["options"],
  { target: { controlUrl }, share }: ScenarioOptions,
  receiver: ScenarioReceiver | undefined,
): K6ScenarioSettings {
  const id = segmentOf(endpointId);
  return scenarioSettings(plan, {
    endpoint: { url: `${baseUrl}/v2/${id}`, authorization: apiKey },
    controlUrl: controlUrl === undefined ? undefined : `${controlUrl}/endpoints/${id}`,
    webhookUrl: receiver?.url,
    isPart: share !== undefined,
  });
}

function longestMs({ phases }: ScenarioPlan): number {
  return Math.max(
    ...phases.map((phase) =>
      phase.kind === "crew" ? phase.startMs + phase.longestMs : phase.startMs + phase.durationMs,
    ),
  );
}

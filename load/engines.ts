import type { RequirementResult } from "../harness/judge.ts";
import { join } from "node:path";

import { segmentOf } from "../client/index.ts";
import type { Capability, OperationName, RequirementId, Tier } from "../openapi/index.ts";
import { rateCost } from "../scenarios/rate.ts";
import { tiers } from "../openapi/index.ts";
import { autocannonHeader, burstCost, runAutocannonRate } from "./autocannon/index.ts";
import { noBursts } from "./autocannon/judge-bursts.ts";
import { EngineEndpoints, silenceMs } from "./engine-endpoints.ts";
import { sharedTarget } from "./distributed/shared-target.ts";
import type { Segment } from "./k6/segment.ts";
import type { EngineTarget } from "./engine-endpoints.ts";
import { ensureK6, k6RateHeader, k6RatePeak, runK6Rate } from "./k6/index.ts";
import type { K6Share } from "./k6/index.ts";
import type { LoadMeter } from "./meter.ts";
import { askedAgain } from "./k6/ask-again.ts";
import { turnsMs, turnsOf } from "./k6/turns.ts";
import { notRun } from "../harness/judge.ts";
import type { EngineFinding, ScenarioFigures } from "./result.ts";
import { stopReason } from "./stop-reason.ts";
import { untilDecided } from "./tries.ts";

export interface EnginesOptions {
  readonly target: EngineTarget;
  readonly requirements: ReadonlySet<RequirementId>;
  /** Those that autocannon, and that k6, has to say something of; all of `requirements` unless given. */
  readonly bursts?: ReadonlySet<RequirementId>;
  readonly rates?: ReadonlySet<RequirementId>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where `queueproof k6 install` puts k6. */
  readonly k6CacheDirectory: string;
  /** Where k6's own report goes, in a folder called k6. */
  readonly reportDirectory?: string;
  /** The longest a check may take on a real clock. */
  readonly timeBudgetMs: number;
  /** Set where this is one of several runners of the test: then only k6 runs, and does its share. */
  readonly segment?: Segment;
  /** When all the runners begin, in milliseconds since the epoch. */
  readonly startAtMs?: number;
  readonly signal?: AbortSignal;
  readonly meter?: LoadMeter;
  readonly onFinished?: (result: RequirementResult) => void;
  /** Called where k6 is built first, and with what Go says of it. */
  readonly onBuilding?: (text: string) => void;
}

/** How many checks the engines make of the given requirements. */
export function engineCheckCount(requirements: ReadonlySet<RequirementId>): number {
  return 2 * tiers.filter(({ rate }) => requirements.has(rate)).length;
}

/**
 * What the engines send at most for the given requirements: each burst six times where edges come between.
 * @param isShared where only k6 runs, by several runners together.
 */
export function enginesCost(
  requirements: ReadonlySet<RequirementId>,
  isShared = false,
): {
  readonly requests: number;
  readonly jobs: number;
} {
  const costs = wantedOf(requirements).flatMap((tier) =>
    isShared ? [rateCost(tier)] : [rateCost(tier), burstCost(tier)],
  );
  return {
    requests: costs.reduce((sum, { requests }) => sum + requests, 0),
    jobs: costs.reduce((sum, { jobs }) => sum + jobs, 0),
  };
}

/** The most the engines ask of a target at one time, and how long they take on a real clock. */
export function enginesPeak(
  requirements: ReadonlySet<RequirementId>,
  areFresh: boolean,
  isShared: boolean,
): {
  readonly requestsPerSecond: number;
  readonly inFlight: number;
  readonly durationMs: number;
} {
  const wanted = wantedOf(requirements);
  const restMs = areFresh ? 0 : silenceMs;
  const burstsMs = isShared ? 0 : wanted.length * (restMs + 2_000);
  const ratesMs = turnsMs(turnsOf(wanted, areFresh || isShared), areFresh);
  return { ...k6RatePeak(wanted, areFresh), durationMs: burstsMs + ratesMs };
}

function wantedOf(requirements: ReadonlySet<RequirementId>): readonly Tier[] {
  return tiers.filter(({ rate }) => requirements.has(rate));
}

export interface EnginesRun {
  readonly results: readonly RequirementResult[];
  readonly load: readonly ScenarioFigures[];
}

/**
 * Lets k6 and autocannon say what they see of each tier's limit, on a real clock: a minute on fresh
 * endpoints. What cannot be run is told with its reason, and the rest goes on.
 */
export async function runEngines(options: EnginesOptions): Promise<EnginesRun> {
  const isShared = options.segment !== undefined;
  const endpoints = new EngineEndpoints(isShared ? sharedTarget(options.target) : options.target);
  try {
    const { bursts: burst = options.requirements, rates: rated = options.requirements } = options;
    const isBurst = ({ rate }: Tier): boolean => !isShared && burst.has(rate);
    const isRated = ({ rate }: Tier): boolean => rated.has(rate);
    const wanted = tiers.filter((tier) => isBurst(tier) || isRated(tier));
    const obstacles = new Map(wanted.map((tier) => [tier, obstacleOf(tier, options, endpoints)]));
    const runnable = wanted.filter((tier) => obstacles.get(tier) === undefined);
    const left = [...obstacles].flatMap(([tier, reason]) =>
      reason === undefined
        ? []
        : [
            ...(isRated(tier) ? [k6RateHeader(tier)] : []),
            ...(isBurst(tier) ? [autocannonHeader(tier)] : []),
          ].map((one) => notRun(one, one.requirement, reason)),
    );
    const bursts = await byAutocannon(runnable.filter(isBurst), endpoints, options);
    const rates = await byK6(runnable.filter(isRated), endpoints, options);
    const findings = [...bursts, ...rates.findings];
    const results = [...left, ...rates.notRun, ...findings.map(({ check }) => check)];
    for (const result of results) options.onFinished?.(result);
    return {
      results,
      load: findings.map(({ figures }) => figures),
    };
  } finally {
    await endpoints.close();
  }
}

/** Only jobs that keep a worker busy are still there to be cancelled. */
const needed: ReadonlyMap<OperationName, Capability> = new Map([
  ["openai", "openai"],
  ["requests", "requests"],
  ["cancel", "handler"],
]);

/** The tiers of these requirements whose operation such a target has. */
export function offeredTiers(
  requirements: ReadonlySet<RequirementId>,
  capabilities: readonly Capability[],
): readonly Tier[] {
  return wantedOf(requirements).filter(({ operation }) => {
    const capability = needed.get(operation);
    return capability === undefined || capabilities.includes(capability);
  });
}

function obstacleOf(
  { operation }: Tier,
  { target: { capabilities }, signal }: EnginesOptions,
  endpoints: EngineEndpoints,
): string | undefined {
  if (signal?.aborted === true) return `${stopReason(signal)} before it was decided`;
  if (!endpoints.exist) return "no endpoint and key were given, and the target makes none";
  const capability = needed.get(operation);
  if (capability === undefined || capabilities.includes(capability)) return undefined;
  return `the target does not offer ${capability}`;
}

function isStopped(signal: AbortSignal | undefined): signal is AbortSignal {
  return signal?.aborted === true;
}

async function byAutocannon(
  runnable: readonly Tier[],
  endpoints: EngineEndpoints,
  { signal, meter }: EnginesOptions,
): Promise<readonly EngineFinding[]> {
  const findings: EngineFinding[] = [];
  for (const tier of runnable) {
    if (signal?.aborted === true) break;
    const freshClient = (): ReturnType<EngineEndpoints["next"]> => endpoints.nextRested(signal);
    const ask = async (): Promise<EngineFinding> => {
      try {
        return await runAutocannonRate(tier, {
          freshClient,
          ...(signal === undefined ? {} : { signal }),
          ...(meter === undefined ? {} : { meter }),
        });
      } catch (error) {
        // A stop ends the silence before a burst, too.
        if (!isStopped(signal)) throw error;
        return noBursts(tier, `${stopReason(signal)} before it was decided`);
      }
    };
    findings.push(await untilDecided(await ask(), ask, signal));
  }
  return findings;
}

async function byK6(
  runnable: readonly Tier[],
  endpoints: EngineEndpoints,
  options: EnginesOptions,
): Promise<{ findings: readonly EngineFinding[]; notRun: readonly RequirementResult[] }> {
  const { environment, k6CacheDirectory, reportDirectory, timeBudgetMs, signal } = options;
  if (runnable.length === 0) return { findings: [], notRun: [] };
  const k6 = await ensureK6({ ...options, cacheDirectory: k6CacheDirectory });
  const isOneOfRunners = options.segment !== undefined;
  const turns = turnsOf(runnable, endpoints.areFresh || isOneOfRunners);
  const takesMs = turnsMs(turns, endpoints.areFresh);
  if ("missing" in k6 || takesMs > timeBudgetMs) {
    const reason =
      "missing" in k6
        ? k6.missing
        : `it takes ${takesMs / 1_000} s on a real clock, more than the time budget of ${timeBudgetMs / 1_000} s`;
    return {
      findings: [],
      notRun: runnable.map((tier) => notRun(k6RateHeader(tier), tier.rate, reason)),
    };
  }
  const ask = async (some: readonly Tier[], name: string): Promise<readonly EngineFinding[]> =>
    runK6Rate({
      k6,
      environment,
      tiers: some,
      endpointsAreFresh: endpoints.areFresh,
      redact: (text) => endpoints.redactor.redact(text),
      endpointFor: async () => {
        const { baseUrl, endpointId, apiKey = "" } = (await endpoints.next()).options;
        return { url: `${baseUrl}/v2/${segmentOf(endpointId)}`, authorization: apiKey };
      },
      ...shareOfTest(options),
      ...(options.meter === undefined ? {} : { meter: options.meter }),
      ...(signal === undefined ? {} : { signal }),
      ...(reportDirectory === undefined
        ? {}
        : { dashboard: { directory: join(reportDirectory, "k6"), name } }),
    });
  const found: EngineFinding[] = [];
  for (const [at, some] of turns.entries()) {
    found.push(...(await ask(some, at === 0 ? "rate" : `rate-${at + 1}`)));
  }
  const order = turns.flat();
  const first = runnable.flatMap((tier) => found[order.indexOf(tier)] ?? []);
  const areApart = endpoints.areFresh;
  const findings = isOneOfRunners
    ? first
    : await askedAgain(runnable, first, { ask, signal, areApart });
  return { findings, notRun: [] };
}

function shareOfTest({ segment, startAtMs, reportDirectory }: EnginesOptions): {
  readonly share?: K6Share;
} {
  if (segment === undefined || reportDirectory === undefined) return {};
  const start = startAtMs === undefined ? {} : { startAtMs };
  return { share: { segment, directory: reportDirectory, ...start } };
}

import type { RequirementResult } from "../harness/judge.ts";
import { ControlError } from "../client/control-client.ts";
import { endpointAddressOf } from "../client/endpoint-address.ts";
import type { OperationName, Tier } from "../openapi/operations.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import { tiers } from "../openapi/operations.ts";
import { headerOf as autocannonHeader, noBursts } from "./autocannon/judge-bursts.ts";
import { burstCost, runAutocannonRate } from "./autocannon/rate.ts";
import { EngineEndpoints, noEndpointReason } from "./engine-endpoints.ts";
import { obstacleToEngine } from "./engine-obstacles.ts";
import { sharedTarget } from "./distributed/shared-target.ts";
import type { Segment } from "./k6/segment.ts";
import type { TargetAccess } from "../harness/endpoint/endpoint-source.ts";
import { dashboardIn } from "./k6/run.ts";
import type { K6Run } from "./k6/run.ts";
import { ensureTool } from "./go-tools/ensure.ts";
import { k6Tool } from "./k6/tool.ts";
import { headerOf as k6RateHeader } from "./k6/judge-rate.ts";
import { rateCost, restsFirst, sendsRates, usedBy } from "./k6/rate-plan.ts";
import { runK6Rate } from "./k6/rate.ts";
import type { K6Share } from "./k6/rate.ts";
import type { RateMode } from "./k6/rate-plan.ts";
import type { LoadMeter, LoadSupervision } from "./meter.ts";
import { burstsInTurn, neededBy } from "./engines-plan.ts";
import { askAllWhereTheyDisagree } from "./k6/confirm-probe.ts";
import { retryUndecidedRates } from "./k6/retry-rates.ts";
import type { SendRates } from "./k6/retry-rates.ts";
import { rateTurnsMs, rateTurnsOf } from "./k6/rate-turns.ts";
import type { LoadResult } from "../reports/model.ts";
import { lackingReason, tooLongReason } from "../reports/not-run.ts";
import { notRunByEngine } from "./result.ts";
import type { EngineFinding } from "./result.ts";
import { neededOf, sumOf } from "./sent-load.ts";
import { reasonOfStop } from "../harness/outcome.ts";
import { untilDecided } from "./tries.ts";

export interface EnginesOptions extends LoadSupervision {
  readonly target: TargetAccess;
  readonly requirements: ReadonlySet<RequirementId>;
  /** Those that autocannon (bursts) and k6 (rates) have to judge; default: all of `requirements`. */
  readonly bursts?: ReadonlySet<RequirementId>;
  readonly rates?: ReadonlySet<RequirementId>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What the probe has found: k6 confirms that at one rate, and sends all where it disagrees; absent: all rates. */
  readonly probed?: readonly RequirementResult[] | undefined;
  /** Where `queueproof k6 install` puts k6. */
  readonly k6CacheDirectory: string;
  /** Where k6's own report goes, in a folder called k6. */
  readonly reportDirectory?: string;
  /** The longest a check may take on a real clock. */
  readonly timeBudgetMs: number;
  /** Set where this is one of several runners of the test: then only k6 runs, and does its share. */
  readonly segment?: Segment | undefined;
  /** When all the runners begin, in milliseconds since the epoch. */
  readonly startAtMs?: number | undefined;
  readonly onFinished?: (result: RequirementResult) => void;
  /** Called when k6 has to be built first, and with each output of Go. */
  readonly onBuilding?: (text: string) => void;
}

export interface EnginesRun {
  readonly results: readonly RequirementResult[];
  readonly load: readonly LoadResult[];
}

/**
 * Judges each tier's limit by k6 and autocannon on a real clock; on fresh endpoints this takes a minute. What cannot
 * run becomes not-run with a reason, and the rest goes on.
 */
export async function runEngines(options: EnginesOptions): Promise<EnginesRun> {
  const isShared = options.segment !== undefined;
  const endpoints = new EngineEndpoints(
    isShared ? sharedTarget(options.target) : options.target,
    options.meter,
  );
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
          ].map((header) => notRunByEngine(header, reason)),
    );
    const noBurst = obstacleToEngine("autocannon", endpoints.rules, options.target.baseUrl);
    const burstable = runnable.filter(isBurst);
    if (noBurst !== undefined) {
      left.push(...burstable.map((tier) => notRunByEngine(autocannonHeader(tier), noBurst)));
    }
    const bursts = await byAutocannon(noBurst === undefined ? burstable : [], endpoints, options);
    const rates = await byK6(runnable.filter(isRated), endpoints, options, bursts.findings);
    const findings = [...bursts.findings, ...rates.findings];
    const results = [
      ...left,
      ...bursts.notRun,
      ...rates.notRun,
      ...findings.flatMap(({ check, beside }) => [check, ...beside]),
    ];
    for (const result of results) options.onFinished?.(result);
    return { results, load: findings.map(({ figures }) => figures) };
  } finally {
    await endpoints.close();
  }
}

function obstacleOf(
  { operation }: Tier,
  { target: { capabilities }, signal }: EnginesOptions,
  endpoints: EngineEndpoints,
): string | undefined {
  if (signal?.aborted === true) return reasonOfStop(signal);
  if (!endpoints.exist) return noEndpointReason;
  const capability = neededBy(operation);
  if (capability === undefined || capabilities.includes(capability)) return undefined;
  return lackingReason([capability]);
}

function isStopped(signal: AbortSignal | undefined): signal is AbortSignal {
  return signal?.aborted === true;
}

/** What an engine found, and what it left out. */
interface Found {
  readonly findings: readonly EngineFinding[];
  readonly notRun: readonly RequirementResult[];
}

async function byAutocannon(
  runnable: readonly Tier[],
  endpoints: EngineEndpoints,
  { signal, meter }: EnginesOptions,
): Promise<Found> {
  const findings: EngineFinding[] = [];
  const left: RequirementResult[] = [];
  for (const tier of endpoints.areFresh ? runnable : burstsInTurn(runnable)) {
    if (signal?.aborted === true) break;
    const tooMuch = meter?.whyTooMuch?.(neededOf(burstCost(tier, 2)));
    if (tooMuch !== undefined) {
      left.push(notRunByEngine(autocannonHeader(tier), tooMuch));
      continue;
    }
    const freshClient = (): ReturnType<EngineEndpoints["next"]> =>
      endpoints.nextRestedFor(tier.operation, usedBy(tier), signal);
    const ask = async (): Promise<EngineFinding> => {
      try {
        return await runAutocannonRate(tier, { freshClient, signal, meter });
      } catch (error) {
        // A target that is gone makes no endpoints: then the stop is the reason, as it is where it broke
        // the silence before a burst.
        if (error instanceof ControlError && (await meter?.isThere()) !== false)
          return noBursts(tier, error.message);
        if (!isStopped(signal)) throw error;
        return noBursts(tier, reasonOfStop(signal));
      }
    };
    findings.push(await untilDecided(await ask(), ask, signal));
  }
  return { findings, notRun: left };
}

async function byK6(
  asked: readonly Tier[],
  endpoints: EngineEndpoints,
  options: EnginesOptions,
  bursts: readonly EngineFinding[],
): Promise<Found> {
  const { k6CacheDirectory, timeBudgetMs, meter, signal } = options;
  const rateMode = rateModeOf(endpoints.areFresh, options);
  const { fitting, tooMuch } = fittingOf(asked, rateMode, meter);
  if (fitting.length === 0) return { findings: [], notRun: tooMuch };
  const unreached = obstacleToEngine("k6", endpoints.rules, options.target.baseUrl);
  const building = { ...options, cacheDirectory: k6CacheDirectory };
  const k6 = unreached === undefined ? await ensureTool(k6Tool, building) : { missing: unreached };
  const isOneOfRunners = options.segment !== undefined;
  const runnable = fitting.filter((tier) => sendsRates(tier, rateMode));
  const turns = isOneOfRunners ? [runnable] : rateTurnsOf(runnable, rateMode);
  const takesMs = rateTurnsMs(turns, rateMode);
  if ("missing" in k6 || takesMs > timeBudgetMs) {
    const reason = "missing" in k6 ? k6.missing : tooLongReason(takesMs, timeBudgetMs);
    const left = fitting.map((tier) => notRunByEngine(k6RateHeader(tier), reason));
    return { findings: [], notRun: [...tooMuch, ...left] };
  }
  const ask = senderOf(k6, rateMode, endpoints, options);
  const first = await askInTurns(runnable, turns, async (some, at) =>
    ask(some, at === 0 ? "rate" : `rate-${at + 1}`),
  );
  if (isOneOfRunners) return { findings: first, notRun: tooMuch };
  const decided = await retryUndecidedRates(runnable, first, {
    ask,
    signal,
    areApart: endpoints.areFresh,
  });
  const askAll: SendRates = async (some, name) => {
    const all: RateMode = { ...rateMode, rates: "all" };
    const { fitting: few } = fittingOf(some, all, meter);
    const allTurns = rateTurnsOf(few, all);
    if (few.length === 0 || rateTurnsMs(allTurns, all) > timeBudgetMs) return [];
    return askInTurns(few, allTurns, async (turn, at) => ask(turn, `${name}-${at + 1}`, all));
  };
  const { probed = [] } = options;
  const confirming = { probed, bursts, tiers: fitting, ask: askAll, signal };
  const found = await askAllWhereTheyDisagree(byTier(runnable, decided), confirming);
  const left = fitting.filter((tier) => !found.has(tier));
  return {
    findings: [...found.values()],
    notRun: [...tooMuch, ...left.map((tier) => notRunByEngine(k6RateHeader(tier), dearReason))],
  };
}

const dearReason =
  "an arrival rate would make thousands of jobs on an endpoint that is not new, to confirm what the probe has found; `queueproof load rate` sends it";

/** The findings of some tiers, which are in their order. */
function byTier(
  some: readonly Tier[],
  findings: readonly EngineFinding[],
): ReadonlyMap<Tier, EngineFinding> {
  return new Map(
    some.flatMap((tier, at): readonly (readonly [Tier, EngineFinding])[] => {
      const finding = findings[at];
      return finding === undefined ? [] : [[tier, finding]];
    }),
  );
}

/** Lets k6 send the rates of some tiers together, in a mode that is `rateMode` where nothing else is said. */
function senderOf(
  k6: K6Run["k6"],
  rateMode: RateMode,
  endpoints: EngineEndpoints,
  options: EnginesOptions,
): SendRates {
  const { environment, reportDirectory, meter, signal } = options;
  return async (some, name, inMode = rateMode) => {
    if (restsFirst(inMode)) await restFor(some, endpoints, signal);
    const found = await runK6Rate({
      k6,
      rules: endpoints.rules,
      environment,
      tiers: some,
      rateMode: inMode,
      redact: (text) => endpoints.redactor.redact(text),
      endpointFor: async () => endpointAddressOf((await endpoints.next()).options),
      share: shareOfTest(options),
      meter,
      signal,
      dashboard: dashboardIn(reportDirectory, name),
    });
    endpoints.noteUsed(operationsOf(some));
    return found;
  };
}

/** Asks one turn after the other; returns the findings in the order of the tiers. */
async function askInTurns(
  asked: readonly Tier[],
  turns: readonly (readonly Tier[])[],
  ask: (turn: readonly Tier[], at: number) => Promise<readonly EngineFinding[]>,
): Promise<readonly EngineFinding[]> {
  const found: EngineFinding[] = [];
  for (const [at, turn] of turns.entries()) found.push(...(await ask(turn, at)));
  const order = turns.flat();
  return asked.flatMap((tier) => found[order.indexOf(tier)] ?? []);
}

/** Waits until all operations of some rates have rested; a stop ends that at once. */
async function restFor(
  some: readonly Tier[],
  endpoints: EngineEndpoints,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    for (const each of operationsOf(some)) await endpoints.nextRestedFor(each, [], signal);
  } catch (error) {
    if (!isStopped(signal)) throw error;
  }
}

/** The operations that rates use. */
function operationsOf(some: readonly Tier[]): readonly OperationName[] {
  return [...new Set(some.flatMap((tier) => [tier.operation, ...usedBy(tier)]))];
}

function rateModeOf(
  areFresh: boolean,
  { probed, segment }: Pick<EnginesOptions, "probed" | "segment">,
): RateMode {
  return {
    endpoints: areFresh ? "fresh" : "shared",
    rates: probed !== undefined && segment === undefined ? "confirming" : "all",
  };
}

/** The tiers whose rates fit together into what may still be sent. */
function fittingOf(
  asked: readonly Tier[],
  rateMode: RateMode,
  meter: LoadMeter | undefined,
): { readonly fitting: readonly Tier[]; readonly tooMuch: readonly RequirementResult[] } {
  const fitting: Tier[] = [];
  const tooMuch: RequirementResult[] = [];
  for (const tier of asked) {
    const together = neededOf(sumOf([...fitting, tier].map((each) => rateCost(each, rateMode))));
    const alone = neededOf(rateCost(tier, rateMode));
    const why = meter?.whyTooMuch?.({ ...together, jobs: alone.jobs === 0 ? 0 : together.jobs });
    if (why === undefined) fitting.push(tier);
    else tooMuch.push(notRunByEngine(k6RateHeader(tier), why));
  }
  return { fitting, tooMuch };
}

function shareOfTest({ segment, startAtMs, reportDirectory }: EnginesOptions): K6Share | undefined {
  if (segment === undefined || reportDirectory === undefined) return undefined;
  return { segment, directory: reportDirectory, startAtMs };
}

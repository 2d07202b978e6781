import { endpointAddressOf } from "../../client/endpoint-address.ts";
import type { TargetAccess } from "../../harness/endpoint/endpoint-source.ts";
import type { RequirementResult } from "../../harness/judge.ts";
import type { OperationName, Tier } from "../../openapi/operations.ts";
import { tooLongReason } from "../../reports/not-run.ts";
import type { EngineEndpoints } from "../engine-endpoints.ts";
import { obstacleToEngine } from "../engine-obstacles.ts";
import { ensureTool } from "../go-tools/ensure.ts";
import type { LoadMeter, LoadSupervision } from "../meter.ts";
import { notRunByEngine } from "../result.ts";
import type { EngineFinding, EngineFindings } from "../result.ts";
import { neededOf, sumOf } from "../sent-load.ts";
import { askAllWhereTheyDisagree } from "./confirm-probe.ts";
import { headerOf as k6RateHeader } from "./judge-rate.ts";
import { rateCost, rateTurnsMs, rateTurnsOf, restsFirst, sendsRates, usedBy } from "./rate-plan.ts";
import type { RateMode } from "./rate-plan.ts";
import { runK6Rate } from "./rate.ts";
import type { K6Share } from "./rate.ts";
import { retryUndecidedRates } from "./retry-rates.ts";
import type { SendRates } from "./retry-rates.ts";
import { dashboardIn } from "./run.ts";
import type { K6Run } from "./run.ts";
import type { Segment } from "./segment.ts";
import { k6Tool } from "./tool.ts";

/** How k6 runs, and what it has to confirm. */
export interface K6Options extends LoadSupervision {
  readonly target: TargetAccess;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What the probe has found: k6 confirms that at one rate, and sends all where it disagrees; absent: all rates. */
  readonly probed?: readonly RequirementResult[] | undefined;
  /** Where k6's own report goes, in a folder called k6. */
  readonly reportDirectory?: string;
  /** The longest a check may take on a real clock. */
  readonly timeBudgetMs: number;
  /** Set where this is one of several runners of the test: then only k6 runs, and does its share. */
  readonly segment?: Segment | undefined;
  /** When all the runners begin, in milliseconds since the epoch. */
  readonly startAtMs?: number | undefined;
  /** Called when k6 has to be built first, and with each output of Go. */
  readonly onBuilding?: (text: string) => void;
}

/**
 * Judges tiers by arrival rates of k6.
 * @param bursts what autocannon has found, which confirms the probe where k6 would make too many jobs.
 */
export async function findByK6(
  asked: readonly Tier[],
  endpoints: EngineEndpoints,
  options: K6Options,
  bursts: readonly EngineFinding[],
): Promise<EngineFindings> {
  const { timeBudgetMs, meter, signal } = options;
  const rateMode = rateModeOf(endpoints.areFresh, options);
  const { fitting, tooMuch } = fittingOf(asked, rateMode, meter);
  if (fitting.length === 0) return { findings: [], notRun: tooMuch };
  const unreached = obstacleToEngine("k6", endpoints.rules, options.target.baseUrl);
  const k6 = unreached === undefined ? await ensureTool(k6Tool, options) : { missing: unreached };
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
  options: K6Options,
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
    if (signal?.aborted !== true) throw error;
  }
}

/** The operations that rates use. */
function operationsOf(some: readonly Tier[]): readonly OperationName[] {
  return [...new Set(some.flatMap((tier) => [tier.operation, ...usedBy(tier)]))];
}

function rateModeOf(
  areFresh: boolean,
  { probed, segment }: Pick<K6Options, "probed" | "segment">,
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

function shareOfTest({ segment, startAtMs, reportDirectory }: K6Options): K6Share | undefined {
  if (segment === undefined || reportDirectory === undefined) return undefined;
  return { segment, directory: reportDirectory, startAtMs };
}

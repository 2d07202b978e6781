import { engineCheckCount, enginesCost, enginesPeak, sentByEngines } from "../load/engines-plan.ts";
import { durationOf } from "../load/requirements/duration.ts";
import { loadCheckSummaries } from "../load/check-summaries.ts";
import type { LoadCheckSummary } from "../load/check-summaries.ts";
import type { Situation } from "../load/requirements/situation.ts";
import type { RateMode } from "../load/k6/rate-plan.ts";
import type { LoadLimits } from "../load/meter.ts";
import { neededOf, sumOf } from "../load/sent-load.ts";
import type { ByOperation, LoadCost } from "../load/sent-load.ts";
import { untilStartMs } from "../load/k6/rate.ts";
import { offeredMixOf } from "../load/scenarios/mix-size.ts";
import { planOf } from "../load/scenarios/run-scenario.ts";
import { sharedCapabilities } from "../load/distributed/shared-target.ts";
import { capabilities } from "../openapi/capabilities.ts";
import { tiers } from "../openapi/operations.ts";
import type { Capability } from "../openapi/capabilities.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import { costInTurn } from "../scenarios/scenario.ts";
import type { ScenarioCost } from "../scenarios/scenario.ts";
import { lackingReason, tooLongReason } from "../reports/not-run.ts";
import { byOperationText, durationText, listText } from "../reports/words.ts";
import { choiceOf } from "./load-scenarios.ts";
import type { ContractCommandSettings } from "./settings/contract.ts";
import { selectedIds } from "./settings/selection.ts";
import { isShared } from "./settings/sharing.ts";

/** The most that a load run does to a target. */
export interface LoadPlan {
  readonly checks: number;
  readonly requests: number;
  readonly jobs: number;
  /** The same by operation, without the named scenarios. */
  readonly byOperation: LoadCost;
  /** The limits of --max-jobs and --max-requests. */
  readonly limits: LoadLimits;
  /** Most requests that are sent at once, as fast as they are answered. */
  readonly burstRequests: number;
  /** Arrival rate of k6 in requests per second, for all operations together. */
  readonly requestsPerSecond: number;
  readonly inFlight: number;
  /** Longest duration on a real clock. */
  readonly durationMs: number;
}

/** The load checks that cover a selected requirement. */
export function selectedLoadChecks(settings: ContractCommandSettings): readonly LoadCheckSummary[] {
  if (!choiceOf(settings).probe) return [];
  const selected = selectedIds(settings);
  return loadCheckSummaries.filter(({ covers }) => covers.some((id) => selected.has(id)));
}

/** Why a load check will not be tried; undefined where it will. */
export function whyNotTried(
  { needs, realTimeMs }: Pick<LoadCheckSummary, "needs" | "realTimeMs">,
  settings: ContractCommandSettings,
): string | undefined {
  const on = planSituation(settings);
  const missing = needs.filter((need) => !on.offers(need));
  if (missing.length > 0) return lackingReason(missing);
  const isLong = !on.makesEndpoints && realTimeMs > settings.timeBudgetMs;
  return isLong ? tooLongReason(realTimeMs, settings.timeBudgetMs) : undefined;
}

/** The limits that autocannon (bursts) and k6 (rates) test: named by the scenarios and selected as requirements. */
export function tiersWanted(settings: ContractCommandSettings): {
  readonly bursts: ReadonlySet<RequirementId>;
  readonly rates: ReadonlySet<RequirementId>;
} {
  const selected = selectedIds(settings);
  const among = (wanted: ReadonlySet<RequirementId>): ReadonlySet<RequirementId> =>
    new Set([...wanted].filter((id) => selected.has(id)));
  return { bursts: among(choiceOf(settings).bursts), rates: among(choiceOf(settings).rates) };
}

/** The cost of the named scenarios together, which run one after the other. */
function scenariosCost(settings: ContractCommandSettings): ScenarioCost {
  const { durationMs, scale, sharing, jobs } = settings;
  const isControlled = !isShared(sharing) && planSituation(settings).makesEndpoints;
  // Without a control protocol, time must be waited for, which takes longest.
  const all = isControlled ? capabilities : sharedCapabilities(capabilities);
  // Who names jobs says that the workers do not run the handler.
  const offered = jobs === undefined ? all : all.filter((each) => each !== "handler");
  const { scenarios, openLoop } = choiceOf(settings);
  const costs = [
    ...scenarios.map(
      (scenario) =>
        planOf(scenario, {
          durationMs,
          scale,
          mix: offeredMixOf(settings),
          target: { capabilities: offered, ...(jobs !== undefined && { jobs }) },
        }).cost,
    ),
    ...openLoop.map((scenario) => scenario.cost(settings)),
  ];
  return costInTurn(costs);
}

/** How many requests are sent beyond a limit or a cap, to see that they are refused. */
const beyond = 20;

export function loadPlan(settings: ContractCommandSettings): LoadPlan {
  const isAlone = !isShared(settings.sharing);
  const probed = isAlone ? selectedLoadChecks(settings) : [];
  const { bursts, rates } = tiersWanted(settings);
  const on = planSituation(settings);
  const engines = sentByEngines(
    {
      bursts: isAlone ? bursts : new Set<RequirementId>(),
      rates,
      rateMode: planRateMode(settings),
    },
    on,
    settings.timeBudgetMs,
  );
  const peak = enginesPeak(engines);
  const asked = scenariosCost(settings);
  const engineChecks = engineCheckCount(rates) / 2 + (isAlone ? engineCheckCount(bursts) / 2 : 0);
  const tried = probed.filter((check) => whyNotTried(check, settings) === undefined);
  const byOperation = sumOf([...tried.map(({ cost }) => cost(on)), enginesCost(engines)]);
  const { requests, jobs } = neededOf(byOperation);
  const { maxJobs, maxRequests } = settings;
  return {
    checks:
      probed.length +
      engineChecks +
      choiceOf(settings).scenarios.length +
      choiceOf(settings).openLoop.length,
    requests: requests + asked.requests,
    jobs: jobs + asked.jobs,
    byOperation,
    limits: { maxJobs, maxRequests },
    burstRequests: isAlone ? Math.max(burstOf(probed), largestBurst(bursts)) : 0,
    requestsPerSecond: Math.max(peak.requestsPerSecond, asked.peakPerSecond),
    inFlight: Math.max(peak.inFlight, asked.inFlightMax, inFlightOf(probed)),
    durationMs:
      durationOf(new Set(tried.map(({ name }) => name)), on) + peak.durationMs + asked.durationMs,
  };
}

/** One runner takes fresh endpoints where they can be made. Several runners, or rates asked for by name, share one. */
function planRateMode(settings: ContractCommandSettings): RateMode {
  if (isShared(settings.sharing)) return { endpoints: "shared", rates: "all" };
  return {
    endpoints: planSituation(settings).makesEndpoints ? "fresh" : "shared",
    rates: settings.scenarios === undefined ? "confirming" : "all",
  };
}

/** What the target offers according to the settings; a target with a control protocol may offer everything. */
export function planSituation({
  target,
  capabilities: declared,
}: ContractCommandSettings): Situation {
  const makesEndpoints = target === undefined || target.controlUrl !== undefined;
  const isOffered = (need: Capability): boolean => need === "load" || declared.includes(need);
  return { makesEndpoints, offers: makesEndpoints ? () => true : isOffered };
}

type Ids = ReadonlySet<RequirementId>;

function largestBurst(ids: Ids): number {
  const limits = tiers.filter(({ rate }) => ids.has(rate));
  return Math.max(0, ...limits.map((tier) => tier.limit + 1));
}

function burstOf(checks: readonly LoadCheckSummary[]): number {
  const ids = new Set(checks.flatMap(({ covers }) => covers));
  const isOfCapsAlone = [...ids].every((id) => id.startsWith("CONC-"));
  if (isOfCapsAlone) return inFlightOf(checks);
  const named = tiers.filter(({ rate }) => ids.has(rate));
  const areOfTiersAlone = [...ids].every((id) => named.some((tier) => tier.rate === id));
  const limits = (areOfTiersAlone ? named : tiers).map((tier) => tier.limit);
  return Math.max(...limits) + beyond;
}

function inFlightOf(checks: readonly LoadCheckSummary[]): number {
  const caps = tiers.map(({ cap = 0 }) => cap);
  return checks.length === 0 ? 0 : Math.max(...caps) + beyond;
}

/** Formats the plan for people. */
export function loadPlanText(plan: LoadPlan): string {
  const { checks, requests, jobs, byOperation, burstRequests, requestsPerSecond, inFlight } = plan;
  const { durationMs } = plan;
  const burst = `bursts of up to ${burstRequests} requests as fast as they are answered`;
  const rates = requestsPerSecond === 0 ? [] : [`up to ${requestsPerSecond} requests/s by k6`];
  return [
    `${checks} load checks`,
    `  requests   up to ${requests}${partsText(byOperation.requests)}`,
    `  jobs       up to ${jobs}${partsText(byOperation.jobs)}; what is left of them is purged and cancelled, or ends within 10 minutes`,
    ...limitLines(plan),
    `  rate       ${[...(burstRequests === 0 ? [] : [burst]), ...rates].join("; ")}`,
    `  in flight  up to ${inFlight} at once`,
    "  again      what is not decided is tried again, up to twice",
    `  duration   up to ${durationText(Math.max(1_000, Math.ceil(durationMs / 1_000) * 1_000))} on a real clock`,
  ].join("\n");
}

function partsText(counts: ByOperation): string {
  const text = byOperationText(counts);
  return text === "" ? "" : ` (${text})`;
}

/** Says what --max-jobs and --max-requests allow, where the plan needs more. */
function limitLines({
  requests,
  jobs,
  limits: { maxJobs, maxRequests },
}: LoadPlan): readonly string[] {
  const bounds = [
    ...(maxJobs !== undefined && maxJobs < jobs ? [`${maxJobs} jobs (--max-jobs)`] : []),
    ...(maxRequests !== undefined && maxRequests < requests
      ? [`${maxRequests} requests (--max-requests)`]
      : []),
  ];
  if (bounds.length === 0) return [];
  return [`  no more    than ${listText(bounds)}; what does not fit is not run`];
}

/** How many times longer than its plan the load may take before it is stopped. */
const planFactor = 4;
const leastLimitMs = 120_000;

/**
 * How long the load may take before it is stopped: the given limit, or four times the plan (at least 2 min) plus the
 * time until the moment at which several runners start together.
 */
export function timeLimitMs(settings: ContractCommandSettings): number {
  const byDefault = Math.max(leastLimitMs, planFactor * loadPlan(settings).durationMs);
  return settings.timeLimitMs ?? untilStartMs(settings.sharing) + byDefault;
}

import { engineCheckCount, enginesCost, enginesPeak } from "../load/engines.ts";
import { loadCheckSummaries } from "../load/index.ts";
import type { LoadCheckSummary } from "../load/index.ts";
import { untilStartMs } from "../load/k6/rate.ts";
import { planOf } from "../load/questions/run-question.ts";
import { sharedCapabilities } from "../load/distributed/shared-target.ts";
import { capabilities, requirementIds, tiers } from "../openapi/index.ts";
import type { RequirementId } from "../openapi/index.ts";
import type { QuestionCost } from "../scenarios/question.ts";
import { formatDuration } from "./settings/duration.ts";
import { choiceOf } from "./load-scenarios.ts";
import type { ContractCommandSettings } from "./settings/contract.ts";

/** What a load run does to a target at most. */
export interface LoadPlan {
  readonly checks: number;
  readonly requests: number;
  readonly jobs: number;
  /** Sent at once, as fast as they are answered. */
  readonly burstRequests: number;
  /** What the arrival rates of k6 come to, requests per second of all operations together. */
  readonly requestsPerSecond: number;
  readonly inFlight: number;
  /** On a real clock. */
  readonly durationMs: number;
}

/** The load checks of which a requirement is selected. */
export function selectedLoadChecks(settings: ContractCommandSettings): readonly LoadCheckSummary[] {
  if (!choiceOf(settings).probe) return [];
  const selected = selectedIds(settings);
  return loadCheckSummaries.filter(({ covers }) => covers.some((id) => selected.has(id)));
}

export function selectedIds({ only, skip }: ContractCommandSettings): ReadonlySet<RequirementId> {
  const wanted = only.length === 0 ? requirementIds : only;
  return new Set(wanted.filter((id) => !skip.includes(id)));
}

/** The limits that autocannon, and k6, looks at: those that scenarios name and requirements select. */
export function tiersWanted(settings: ContractCommandSettings): {
  readonly bursts: ReadonlySet<RequirementId>;
  readonly rates: ReadonlySet<RequirementId>;
} {
  const selected = selectedIds(settings);
  const among = (wanted: ReadonlySet<RequirementId>): ReadonlySet<RequirementId> =>
    new Set([...wanted].filter((id) => selected.has(id)));
  return { bursts: among(choiceOf(settings).bursts), rates: among(choiceOf(settings).rates) };
}

/** What the questions that are named cost together, as they are asked one after the other. */
function questionsCost(settings: ContractCommandSettings): QuestionCost {
  const { durationMs, scale, sharing, target } = settings;
  const isShared = sharing.segment !== undefined || sharing.distributed !== undefined;
  const isControlled = !isShared && (target === undefined || target.controlUrl !== undefined);
  // Without control time is waited for, which takes longest.
  const offered = isControlled ? capabilities : sharedCapabilities(capabilities);
  const costs = choiceOf(settings).questions.map(
    (question) => planOf(question, { durationMs, scale, target: { capabilities: offered } }).cost,
  );
  return {
    requests: costs.reduce((sum, cost) => sum + cost.requests, 0),
    jobs: costs.reduce((sum, cost) => sum + cost.jobs, 0),
    durationMs: costs.reduce((sum, cost) => sum + cost.durationMs, 0),
    peakPerSecond: Math.max(0, ...costs.map((cost) => cost.peakPerSecond)),
    inFlightMax: Math.max(0, ...costs.map((cost) => cost.inFlightMax)),
  };
}

/** Beyond a limit or a cap go so many requests, to see that they are refused. */
const beyond = 20;

export function loadPlan(settings: ContractCommandSettings): LoadPlan {
  const { sharing, target } = settings;
  const isShared = sharing.segment !== undefined || sharing.distributed !== undefined;
  const probed = isShared ? [] : selectedLoadChecks(settings);
  const { bursts, rates } = tiersWanted(settings);
  // A runner sends its share only, yet what the target gets is what all of them send.
  const areFresh = !isShared && (target === undefined || target.controlUrl !== undefined);
  const rated = enginesCost(rates, true);
  const burst = isShared ? { requests: 0, jobs: 0 } : burstsCost(bursts);
  const peak = enginesPeak(rates, areFresh, true);
  const asked = questionsCost(settings);
  const sum = (of: (check: LoadCheckSummary) => number): number =>
    probed.reduce((total, check) => total + of(check), 0);
  const engineChecks = engineCheckCount(rates) / 2 + (isShared ? 0 : engineCheckCount(bursts) / 2);
  return {
    checks: probed.length + engineChecks + choiceOf(settings).questions.length,
    requests: sum(({ requests }) => requests) + rated.requests + burst.requests + asked.requests,
    jobs: sum(({ jobs }) => jobs) + rated.jobs + burst.jobs + asked.jobs,
    burstRequests: isShared ? 0 : Math.max(burstOf(probed), largestBurst(bursts)),
    requestsPerSecond: Math.max(peak.requestsPerSecond, asked.peakPerSecond),
    inFlight: Math.max(
      peak.inFlight,
      asked.inFlightMax,
      probed.length === 0 ? 0 : inFlightOf(probed),
    ),
    durationMs:
      sum(({ realTimeMs }) => realTimeMs) +
      peak.durationMs +
      (isShared ? 0 : burstsMs(bursts, areFresh)) +
      asked.durationMs,
  };
}

type Ids = ReadonlySet<RequirementId>;

function burstsCost(ids: Ids): { readonly requests: number; readonly jobs: number } {
  const all = enginesCost(ids);
  const rated = enginesCost(ids, true);
  return { requests: all.requests - rated.requests, jobs: all.jobs - rated.jobs };
}

function burstsMs(ids: Ids, areFresh: boolean): number {
  return enginesPeak(ids, areFresh, false).durationMs - enginesPeak(ids, areFresh, true).durationMs;
}

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

/** The plan for people, a line each. */
export function loadPlanText(plan: LoadPlan): string {
  const { checks, requests, jobs, burstRequests, requestsPerSecond, inFlight, durationMs } = plan;
  const burst = `bursts of up to ${burstRequests} requests as fast as they are answered`;
  const rates = requestsPerSecond === 0 ? [] : [`up to ${requestsPerSecond} requests/s by k6`];
  return [
    `${checks} load checks`,
    `  requests   up to ${requests}`,
    `  jobs       up to ${jobs}; what is left of them is purged and cancelled, or ends within 10 minutes`,
    `  rate       ${[...(burstRequests === 0 ? [] : [burst]), ...rates].join("; ")}`,
    `  in flight  up to ${inFlight} at once`,
    "  again      what is not decided is tried again, up to twice",
    `  duration   up to ${formatDuration(Math.max(1_000, Math.ceil(durationMs / 1_000) * 1_000))} on a real clock`,
  ].join("\n");
}

/** What a plan may be late by before the load is stopped. */
const planFactor = 2;
const leastLimitMs = 120_000;

/**
 * After this the load is stopped: what was asked for, or twice what the plan says, and until the
 * moment that several runners agreed on it has not begun.
 */
export function timeLimitMs(settings: ContractCommandSettings): number {
  const byDefault = Math.max(leastLimitMs, planFactor * loadPlan(settings).durationMs);
  return settings.timeLimitMs ?? untilStartMs(settings.sharing) + byDefault;
}

import { engineCheckCount, enginesCost, enginesPeak } from "../load/engines.ts";
import { loadCheckSummaries } from "../load/index.ts";
import type { LoadCheckSummary } from "../load/index.ts";
import { requirementIds } from "../openapi/index.ts";
import type { RequirementId } from "../openapi/index.ts";
import { tiers } from "../scenarios/tiers.ts";
import { formatDuration } from "./settings/duration.ts";
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
  const selected = selectedIds(settings);
  return loadCheckSummaries.filter(({ covers }) => covers.some((id) => selected.has(id)));
}

export function selectedIds({ only, skip }: ContractCommandSettings): ReadonlySet<RequirementId> {
  const wanted = only.length === 0 ? requirementIds : only;
  return new Set(wanted.filter((id) => !skip.includes(id)));
}

/** Beyond a limit or a cap go so many requests, to see that they are refused. */
const beyond = 20;

export function loadPlan(settings: ContractCommandSettings): LoadPlan {
  const { sharing, target } = settings;
  const isShared = sharing.segment !== undefined || sharing.distributed !== undefined;
  const probed = isShared ? [] : selectedLoadChecks(settings);
  const selected = selectedIds(settings);
  // A runner sends its share only, yet what the target gets is what all of them send.
  const areFresh = !isShared && (target === undefined || target.controlUrl !== undefined);
  const cost = enginesCost(selected, isShared);
  const peak = enginesPeak(selected, areFresh, isShared);
  const sum = (of: (check: LoadCheckSummary) => number): number =>
    probed.reduce((total, check) => total + of(check), 0);
  const engineChecks = engineCheckCount(selected);
  return {
    checks: probed.length + (isShared ? engineChecks / 2 : engineChecks),
    requests: sum(({ requests }) => requests) + cost.requests,
    jobs: sum(({ jobs }) => jobs) + cost.jobs,
    burstRequests: isShared ? 0 : burstOf(probed),
    requestsPerSecond: peak.requestsPerSecond,
    inFlight: Math.max(peak.inFlight, probed.length === 0 ? 0 : inFlightOf(probed)),
    durationMs: sum(({ realTimeMs }) => realTimeMs) + peak.durationMs,
  };
}

function burstOf(checks: readonly LoadCheckSummary[]): number {
  const ids = new Set(checks.flatMap(({ covers }) => covers));
  const isOfCapsAlone = [...ids].every((id) => id.startsWith("CONC-"));
  if (isOfCapsAlone) return inFlightOf(checks);
  const named = tiers.filter(({ requirement }) => ids.has(requirement));
  const areOfTiersAlone = [...ids].every((id) => named.some((tier) => tier.requirement === id));
  const limits = (areOfTiersAlone ? named : tiers).map((tier) => tier.requestsPerWindow);
  return Math.max(...limits) + beyond;
}

function inFlightOf(checks: readonly LoadCheckSummary[]): number {
  const caps = tiers.map(({ inFlightMax = 0 }) => inFlightMax);
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
    `  duration   up to ${formatDuration(Math.max(1_000, Math.ceil(durationMs / 1_000) * 1_000))} on a real clock`,
  ].join("\n");
}

/** What a plan may be late by before the load is stopped. */
const patience = 2;
const leastLimitMs = 120_000;

/** After this the load is stopped: what was asked for, or twice what the plan says. */
export function timeLimitMs(settings: ContractCommandSettings): number {
  const byDefault = Math.max(leastLimitMs, patience * loadPlan(settings).durationMs);
  return settings.timeLimitMs ?? byDefault;
}

import type { RequirementResult } from "../harness/judge.ts";
import { reasonOfStop } from "../harness/outcome.ts";
import { tiers } from "../openapi/operations.ts";
import type { Tier } from "../openapi/operations.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import type { LoadResult } from "../reports/model.ts";
import { lackingReason } from "../reports/not-run.ts";
import { findByAutocannon } from "./autocannon/find-by-autocannon.ts";
import { headerOf as autocannonHeader } from "./autocannon/judge-bursts.ts";
import { sharedTarget } from "./distributed/shared-target.ts";
import { EngineEndpoints, noEndpointReason } from "./engine-endpoints.ts";
import { neededBy } from "./engines-plan.ts";
import { findByK6 } from "./k6/find-by-k6.ts";
import type { K6Options } from "./k6/find-by-k6.ts";
import { headerOf as k6RateHeader } from "./k6/judge-rate.ts";
import { notRunByEngine } from "./result.ts";

export interface EnginesOptions extends K6Options {
  readonly requirements: ReadonlySet<RequirementId>;
  /** Those that autocannon (bursts) and k6 (rates) have to judge; default: all of `requirements`. */
  readonly bursts?: ReadonlySet<RequirementId>;
  readonly rates?: ReadonlySet<RequirementId>;
  readonly onFinished?: (result: RequirementResult) => void;
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
    const bursts = await findByAutocannon(runnable.filter(isBurst), endpoints, options);
    const rates = await findByK6(runnable.filter(isRated), endpoints, options, bursts.findings);
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

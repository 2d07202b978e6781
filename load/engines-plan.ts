import type { Capability } from "../openapi/capabilities.ts";
import type { OperationName, Tier } from "../openapi/operations.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import { tiers } from "../openapi/operations.ts";
import { burstCost } from "./autocannon/rate.ts";
import { silenceMs } from "./engine-endpoints.ts";
import { k6RatePeak } from "./k6/rate.ts";
import { rateCost, rateTurnsMs, rateTurnsOf, restsFirst, usedBy } from "./k6/rate-plan.ts";
import type { RateMode } from "./k6/rate-plan.ts";
import type { Situation } from "./requirements/situation.ts";
import { sumOf } from "./sent-load.ts";
import type { LoadCost } from "./sent-load.ts";

/** How many checks the engines make of the given requirements. */
export function engineCheckCount(requirements: ReadonlySet<RequirementId>): number {
  return 2 * tiers.filter(({ rate }) => requirements.has(rate)).length;
}

/** The requirements that engines send bursts and rates for, and where they send the rates. */
export interface EnginesPlan {
  readonly bursts: ReadonlySet<RequirementId>;
  readonly rates: ReadonlySet<RequirementId>;
  readonly rateMode: RateMode;
}

/** The part of a plan that the target's capabilities and the time for one check allow. */
export function sentByEngines(
  { bursts, rates, rateMode }: EnginesPlan,
  on: Situation,
  timeBudgetMs: number,
): EnginesPlan {
  const idsOf = (ids: ReadonlySet<RequirementId>): ReadonlySet<RequirementId> =>
    new Set(offeredTiers(ids, (capability) => on.offers(capability)).map(({ rate }) => rate));
  const rated = idsOf(rates);
  const takesMs = rateTurnsMs(rateTurnsOf(wantedOf(rated), rateMode), rateMode);
  const fits = takesMs <= timeBudgetMs;
  return { bursts: idsOf(bursts), rates: fits ? rated : new Set(), rateMode };
}

/** What autocannon's bursts and k6's rates send if none has to be repeated. */
export function enginesCost({ bursts, rates, rateMode }: EnginesPlan): LoadCost {
  return sumOf([
    ...wantedOf(bursts).map((tier) => burstCost(tier)),
    ...wantedOf(rates).map((tier) => rateCost(tier, rateMode)),
  ]);
}

/** The most the engines ask of a target at one time, and how long they take on a real clock. */
export function enginesPeak({ bursts, rates, rateMode }: EnginesPlan): {
  readonly requestsPerSecond: number;
  readonly inFlight: number;
  readonly durationMs: number;
} {
  const rated = wantedOf(rates);
  const fired = wantedOf(bursts);
  const restMs = rateMode.endpoints === "fresh" || fired.length === 0 ? 0 : silenceMs;
  const restsAgain = fired.some(({ operation }) => operation === "run") && fired.some(usesRun);
  const burstsMs = fired.length * burstMs + restMs * (restsAgain ? 2 : 1);
  const turns = rateTurnsOf(rated, rateMode);
  // While the first of two turns goes on, run rests, which makes the jobs of the second.
  const restedMs = restsFirst(rateMode) && turns.length === 1 ? silenceMs : 0;
  return {
    ...k6RatePeak(rated, rateMode),
    durationMs: burstsMs + restedMs + rateTurnsMs(turns, rateMode),
  };
}

/** How long a burst takes, with its preparation and with autocannon's start and end. */
const burstMs = 1_000;

function wantedOf(requirements: ReadonlySet<RequirementId>): readonly Tier[] {
  return tiers.filter(({ rate }) => requirements.has(rate));
}

/** The capability that an operation needs. cancel needs jobs of the handler that keep a worker busy until then. */
const needed: ReadonlyMap<OperationName, Capability> = new Map([
  ["openai", "openai"],
  ["requests", "requests"],
  ["cancel", "handler"],
]);

/** The capability that a target needs for an engine to send requests of the operation. */
export function neededBy(operation: OperationName): Capability | undefined {
  return needed.get(operation);
}

/** The tiers of these requirements to which engines can send requests where a target offers what `offers` says. */
export function offeredTiers(
  requirements: ReadonlySet<RequirementId>,
  offers: (capability: Capability) => boolean,
): readonly Tier[] {
  return wantedOf(requirements).filter(({ operation }) => {
    const capability = needed.get(operation);
    return capability === undefined || offers(capability);
  });
}

/**
 * The order of bursts. Limits are independent, so bursts of different operations need no silence between them. cancel
 * comes first, with the jobs that it needs; purge-queue removes what is left of them. Once run has rested from making
 * them, run and runsync follow, which need workers.
 */
export function burstsInTurn(asked: readonly Tier[]): readonly Tier[] {
  return asked.toSorted((one, other) => burstPlaceOf(one) - burstPlaceOf(other));
}

function burstPlaceOf({ operation }: Tier): number {
  return operation === "cancel" ? 0 : lastBursts.indexOf(operation) + 2;
}

const lastBursts: readonly OperationName[] = ["purge-queue", "run", "runsync"];

function usesRun(tier: Tier): boolean {
  return usedBy(tier).length > 0;
}

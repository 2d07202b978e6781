import { distance, isNear, leastBy, rangeOf } from "../distance.ts";
import type { Declared, Found, LimiterKind, Admit } from "../kind.ts";
import { firstOf, LimitBounds } from "../limit-bounds.ts";
import { byContradiction, contradiction, nearestCandidates } from "../nearest-candidates.ts";
import type { ScoredCandidate } from "../nearest-candidates.ts";
import type { ComparedRequests } from "../compared-requests.ts";
import { demandEpsilon, modelEpsilon } from "../rounding.ts";
import { roundShares } from "../search.ts";
import type { Timeline } from "../timeline.ts";

/** A bucket that is full at first and fills evenly. GCRA behaves the same from outside. */
export const tokenBucket: LimiterKind = {
  name: "token bucket",
  reading: "token bucket",
  start: ({ limit, windowMs }) => startTokenBucket(limit, windowMs),
  limitsIn: (windows) => ({ least: windows, most: windows + 1 }),
  search: (trace, declared) => searchBucket(trace, declared),
};

/** A bucket whose capacity is not the declared limit and that does not fill up in the declared window. */
export const bucketWithOwnRate: LimiterKind = {
  name: "bucket with its own rate",
  reading: "token bucket",
  start: ({ limit, windowMs }) => startTokenBucket(limit, windowMs),
  recognise: (found, { limit, windowMs }) => {
    const isDeclared =
      Math.abs(found.limit - limit) <= 1 ||
      isNear(found.limit, limit) ||
      isNear(found.windowMs, windowMs);
    return found.kind === tokenBucket.name && !isDeclared ? found : undefined;
  },
};

function startTokenBucket(limit: number, windowMs: number): Admit {
  let tokens = limit;
  let filledMs: number | undefined;
  return (nowMs, count) => {
    tokens = Math.min(limit, tokens + ((nowMs - (filledMs ?? nowMs)) * limit) / windowMs);
    filledMs = nowMs;
    const admitted = Math.min(count, Math.floor(tokens + modelEpsilon));
    tokens -= admitted;
    return admitted;
  };
}

/** Rates from a fiftieth of the declared one to fifty times that, a hundredth apart. */
const rateShares = Array.from({ length: 787 }, (_, index) => 1.01 ** (index - 393));

/** A rate, and what a trace demands of the capacity of a bucket that fills at it. */
type Tried = ScoredCandidate<number>;

interface Choice {
  readonly perMs: number;
  readonly capacity: number;
}

/**
 * Searches buckets whose capacity and rate are independent of each other. Where one of about the
 * declared capacity and with a round window explains the trace, only such buckets count.
 */
function searchBucket(trace: Timeline, declared: Declared): Found {
  const declaredPerMs = declared.limit / declared.windowMs;
  const fully = (perMs: number): LimitBounds => demandsOf(trace, perMs, trace);
  const rates = rateShares.map((share) => share * declaredPerMs);
  trace.limitBucketRates(Math.max(...rates));
  const coarse = nearestCandidates(rates, {
    roughly: (perMs) => demandsOf(trace, perMs, trace.outline),
    fully,
    count: placesRefined,
  });
  const tried = [...coarse, ...finer(coarse, fully)];
  const fits = tried.filter(({ demands }) => demands.isMet);
  const round = roundBuckets(trace, declared);
  const some = fits.flatMap(({ candidate: perMs, demands: { least, most } }) =>
    [least, most].map((capacity) => ({ perMs, capacity })),
  );
  const choices = round.length > 0 ? round : some;
  if (choices.length > 0) return explainedBy(choices, some, declared);
  const nearest = leastBy(tried, ({ demands }) => contradiction(demands));
  const limit = nearest.demands.bestLimit(declared.limit);
  const windowMs = limit / nearest.candidate;
  return { limit, windowMs, differences: nearest.demands.differences(limit) };
}

const placesRefined = 3;
const finerSteps = 20;
const finerShares = [0.01, 0.000_5];

/** Rates around those that explain the trace, or come nearest to that, ever closer together. */
function finer(coarse: readonly Tried[], fully: (perMs: number) => LimitBounds): readonly Tried[] {
  const found: Tried[] = [];
  let level = coarse;
  for (const share of finerShares) {
    level = level
      .toSorted(byContradiction)
      .slice(0, placesRefined)
      .flatMap(({ candidate: perMs }) =>
        Array.from({ length: 2 * finerSteps + 1 }, (_, index) => {
          const candidate = perMs * (1 + (share * (index - finerSteps)) / finerSteps);
          return { candidate, demands: fully(candidate) };
        }),
      );
    found.push(...level);
  }
  return found;
}

/** How far a capacity may be from the declared one and still count as the same, as a share of it. */
const capacityShare = 0.02;

/**
 * Buckets of about the declared capacity that fill up in a round part of the declared window. For one
 * window a larger capacity also fills faster, so that what a bucket admits only grows with it: the capacities that
 * explain the trace form one range.
 */
function roundBuckets(trace: Timeline, declared: Declared): readonly Choice[] {
  const apart = Math.ceil(capacityShare * declared.limit);
  const least = Math.max(1, declared.limit - apart);
  const most = declared.limit + apart;
  return roundShares.flatMap((share) => {
    const windowMs = share * declared.windowMs;
    const between = (asked: ComparedRequests): readonly number[] => {
      const demands = (capacity: number): LimitBounds =>
        demandsOf(trace, capacity / windowMs, asked);
      const from = firstOf(least, most, (capacity) => demands(capacity).least <= capacity);
      const to = firstOf(least, most, (capacity) => demands(capacity).most < capacity) - 1;
      return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
    };
    if (between(trace.outline).length === 0) return [];
    return between(trace).map((capacity) => ({ perMs: capacity / windowMs, capacity }));
  });
}

function explainedBy(
  choices: readonly Choice[],
  all: readonly Choice[],
  declared: Declared,
): Found {
  const bucketOf = ({ perMs, capacity }: Choice): { limit: number; windowMs: number } => ({
    limit: capacity,
    windowMs: capacity / perMs,
  });
  const buckets = choices.map((choice) => bucketOf(choice));
  const nearest = leastBy(buckets, (bucket) => distance(bucket, declared));
  const [least, most] = rangeOf(buckets.map(({ limit }) => limit));
  const [shortestMs, longestMs] = rangeOf(buckets.map(({ windowMs }) => windowMs));
  const [boundShortest, boundLongest] = rangeOf(
    [...choices, ...all].map((choice) => bucketOf(choice).windowMs),
  );
  return {
    ...nearest,
    differences: 0,
    bounds: { shortestMs: boundShortest, longestMs: boundLongest },
    explained: { limits: { least, most }, windows: { shortestMs, longestMs } },
  };
}

/** Requests nearer to each other than this count as simultaneous: a bucket gains nothing between them. */
const besideMs = 1e-2;

/** The demands on the capacity of a bucket that fills at `perMs`. */
function demandsOf(trace: Timeline, perMs: number, asked: ComparedRequests): LimitBounds {
  const demands = new LimitBounds();
  const { starts } = trace;
  let start = 0;
  let most = -Infinity;
  for (const { answeredMs, answeredUpTo, step } of asked.comparedAdmitted) {
    for (let one = starts[start]; one !== undefined && one.sentMs <= answeredMs;) {
      most = Math.max(most, perMs * one.sentMs - one.sentBefore);
      one = starts[(start += 1)];
    }
    const capacity = answeredUpTo - perMs * answeredMs + most;
    demands.atLeast(step, Math.ceil(capacity - demandEpsilon));
  }
  for (const { sentMs, sentBefore: used, step } of asked.comparedRefused) {
    // The bucket has filled since an earlier request, but not since a simultaneous one.
    const before = used - perMs * sentMs + trace.maxBucketGain(perMs, sentMs - besideMs);
    const beside = used - trace.leastAnsweredBeside(sentMs - besideMs);
    demands.atMost(step, Math.max(beside, Math.ceil(before + demandEpsilon)));
  }
  return demands;
}

import { distance, hull } from "./found.ts";
import type { Found } from "./found.ts";
import type { Declared } from "./kinds.ts";
import { comingNearest, contradiction } from "./nearest.ts";
import { roundShares } from "./search.ts";
import { bucket } from "./constraints.ts";
import type { Demands } from "./limit-bounds.ts";
import type { Asked } from "./points.ts";
import type { Timeline } from "./timeline.ts";

/** Rates from a fiftieth of the declared one to fifty times that, a hundredth apart. */
const rateShares = Array.from({ length: 787 }, (_, index) => 1.01 ** (index - 393));

interface Tried {
  readonly perMs: number;
  readonly demands: Demands;
}

interface Choice {
  readonly perMs: number;
  readonly capacity: number;
}

/**
 * Searches the buckets, whose capacity and rate have nothing to do with each other. Where one of about
 * the declared capacity and with a round window explains the trace, only such ones count.
 */
export function searchBucket(trace: Timeline, declared: Declared): Found {
  const declaredPerMs = declared.limit / declared.windowMs;
  const tryOut = (perMs: number): Tried => ({ perMs, demands: bucket(trace, perMs, trace) });
  const rates = rateShares.map((share) => share * declaredPerMs);
  trace.ratesUpTo(Math.max(...rates));
  const coarse = comingNearest(rates, {
    roughly: (perMs) => bucket(trace, perMs, trace.outline),
    fully: (perMs) => bucket(trace, perMs, trace),
    count: placesRefined,
  }).map(({ candidate, demands }) => ({ perMs: candidate, demands }));
  const near = finer(coarse, tryOut);
  const fits = [...coarse, ...near].filter(({ demands }) => demands.isMet);
  const round = roundBuckets(trace, declared);
  const some = fits.flatMap(({ perMs, demands: { least, most } }) =>
    [least, most].map((capacity) => ({ perMs, capacity })),
  );
  const choices = round.length > 0 ? round : some;
  if (choices.length > 0) return explainedBy(choices, some, declared);
  const nearest = [...coarse, ...near].reduce((one, other) =>
    contradiction(other.demands) < contradiction(one.demands) ? other : one,
  );
  const limit = nearest.demands.bestLimit(declared.limit);
  const windowMs = limit / nearest.perMs;
  return { limit, windowMs, differences: nearest.demands.differences(limit) };
}

const placesRefined = 3;
const finerSteps = 20;
const finerShares = [0.01, 0.000_5];

/** Rates around those that explain the trace, or come nearest to that, ever closer together. */
function finer(coarse: readonly Tried[], tryOut: (perMs: number) => Tried): readonly Tried[] {
  const found: Tried[] = [];
  let level = coarse;
  for (const share of finerShares) {
    const sorted = level.toSorted(
      (one, other) => contradiction(one.demands) - contradiction(other.demands),
    );
    level = sorted
      .slice(0, placesRefined)
      .flatMap(({ perMs }) =>
        Array.from({ length: 2 * finerSteps + 1 }, (_, index) =>
          tryOut(perMs * (1 + (share * (index - finerSteps)) / finerSteps)),
        ),
      );
    found.push(...level);
  }
  return found;
}

/** As a share of the declared capacity: how far one may be from it and still be about the same. */
const capacityShare = 0.02;

/**
 * Buckets of about the declared capacity that fill up in a round part of the declared window. With one
 * window a greater capacity also fills faster, so that it is asked for less and less: those that explain
 * the trace are all between two of them.
 */
function roundBuckets(trace: Timeline, declared: Declared): readonly Choice[] {
  const apart = Math.ceil(capacityShare * declared.limit);
  const least = Math.max(1, declared.limit - apart);
  const most = declared.limit + apart;
  return roundShares.flatMap((share) => {
    const windowMs = share * declared.windowMs;
    const between = (asked: Asked): readonly number[] => {
      const demands = (capacity: number): Demands => bucket(trace, capacity / windowMs, asked);
      const from = firstOf(least, most, (capacity) => demands(capacity).least <= capacity);
      const to = firstOf(least, most, (capacity) => demands(capacity).most < capacity) - 1;
      return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
    };
    if (between(trace.outline).length === 0) return [];
    return between(trace).map((capacity) => ({ perMs: capacity / windowMs, capacity }));
  });
}

/** The least whole number between two others of which something holds that holds of all after it, too. */
function firstOf(least: number, most: number, holds: (value: number) => boolean): number {
  let low = least;
  let high = most + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
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
  const nearest = buckets.reduce((one, other) =>
    distance(other, declared) < distance(one, declared) ? other : one,
  );
  const [least, most] = hull(buckets.map(({ limit }) => limit));
  const [shortestMs, longestMs] = hull(buckets.map(({ windowMs }) => windowMs));
  const [boundShortest, boundLongest] = hull(
    [...choices, ...all].map((choice) => bucketOf(choice).windowMs),
  );
  return {
    ...nearest,
    differences: 0,
    bounds: { shortestMs: boundShortest, longestMs: boundLongest },
    explained: { limits: { least, most }, windows: { shortestMs, longestMs } },
  };
}

import { families, processes } from "./families.ts";
import type { Family } from "./families.ts";
import { limiterKinds } from "./kinds.ts";
import type { Declared, LimiterKind } from "./kinds.ts";
import { distance } from "./found.ts";
import type { Explained, Found } from "./found.ts";
import { searchBucket } from "./search-bucket.ts";
import { search } from "./search.ts";
import { Timeline } from "./timeline.ts";
import type { TracedRequest } from "./trace.ts";

/** A limiter and how many requests of a trace it gets wrong. */
export interface Fit {
  readonly kind: LimiterKind;
  /** Requests per window; of a bucket its capacity; infinite where nothing limits. */
  readonly limit: number;
  readonly windowMs: number;
  readonly differences: number;
  /** Where windows that are aligned begin, on the trace's clock. */
  readonly phaseMs?: number;
  /** How many parts a window is split into, or how many processes count each for itself. */
  readonly parts?: number;
}

/** A kind that explains everything that was seen, with all its limits and windows that do. */
export interface Remaining extends Explained {
  readonly kind: LimiterKind;
}

export interface Identification {
  readonly best: Fit;
  /** The best fit of every other kind, the nearest first. */
  readonly others: readonly Fit[];
  /** Every kind that explains the whole trace; none where no model does or nothing was refused. */
  readonly remaining: readonly Remaining[];
  /** The windows between which that of the best lies; absent where none explains the trace. */
  readonly window?: Explained["windows"];
}

/**
 * The limiters that explain a trace: kind, limit and window together. Of several that explain it
 * alike the one nearest to what is declared is the best, then the simpler kind.
 * @param clockGrainMs what the clock of the limiter is rounded to.
 */
export function identify(
  requests: readonly TracedRequest[],
  declared: Declared,
  clockGrainMs = 0,
): Identification {
  const trace = new Timeline(requests, clockGrainMs);
  if (trace.refused.size === 0) return { best: unlimited(0), others: [], remaining: [] };
  const all = found(trace, declared);
  const fits = [...all, unlimited(trace.refused.size)].toSorted((one, other) =>
    order(one, other, declared),
  );
  const [best = unlimited(0), ...others] = fits;
  return {
    best: fitOf(best),
    others: firstOfEachKind(others, best.kind).map((one) => fitOf(one)),
    remaining: all.flatMap(({ kind, explained }) =>
      explained === undefined ? [] : [{ kind, ...explained }],
    ),
    ...(best.bounds === undefined ? {} : { window: best.bounds }),
  };
}

type NamedFound = Found & { readonly kind: LimiterKind };

/** Round windows first; others, and processes that nobody can tell apart, where none explains the trace. */
function found(trace: Timeline, declared: Declared): readonly NamedFound[] {
  const ofBuckets = { kind: "token bucket", ...searchBucket(trace, declared) } as const;
  const searchedFor = (family: Family, isRound: boolean): NamedFound => {
    const { kind } = family;
    return { kind, ...search(family, trace, { declared, isRound }) };
  };
  const searched = (isRound: boolean): readonly NamedFound[] => [
    ...families.map((family) => searchedFor(family, isRound)),
    ofBuckets,
  ];
  const isExplained = (all: readonly NamedFound[]): boolean =>
    all.some(({ explained }) => explained !== undefined);
  const round = searched(true);
  const single = isExplained(round) ? round : searched(false);
  const isSingle = isExplained(single) || !isOver(trace, declared);
  const all = isSingle ? single : [...single, searchedFor(processes, true)];
  return all.map((one) => named(one, declared));
}

/** Whether more than the limit was admitted within one window: then several may count. */
function isOver({ admitted, admittedPoints }: Timeline, { limit, windowMs }: Declared): boolean {
  return admittedPoints.some(
    ({ answeredMs }) => admitted.surelyAfter(answeredMs - windowMs, answeredMs) > limit,
  );
}

/** A limiter may have got the name of another kind. */
function firstOfEachKind(sorted: readonly NamedFound[], taken: LimiterKind): readonly NamedFound[] {
  const seen = new Set([taken]);
  return sorted.filter(({ kind }) => {
    const isFirst = !seen.has(kind);
    seen.add(kind);
    return isFirst;
  });
}

function unlimited(refused: number): NamedFound {
  return { kind: "none", limit: Infinity, windowMs: Infinity, differences: refused };
}

function fitOf({ explained: _explained, bounds: _bounds, ...fit }: NamedFound): Fit {
  return fit;
}

function order(one: NamedFound, other: NamedFound, declared: Declared): number {
  return (
    one.differences - other.differences ||
    compare(distance(one, declared), distance(other, declared)) ||
    limiterKinds.indexOf(one.kind) - limiterKinds.indexOf(other.kind)
  );
}

function compare(one: number, other: number): number {
  return one === other ? 0 : one - other;
}

/** Some limiters are others of another name: by their numbers, they are called what they most likely are. */
function named(one: NamedFound, declared: Declared): NamedFound {
  const { limit: all, windowMs: whole } = declared;
  if (isManyCounters(one, declared)) {
    return { ...one, kind: "counter per process", limit: all, parts: one.limit / all };
  }
  if (one.kind === "fixed aligned") {
    const parts = partsOf(one, declared);
    const split = { kind: "split windows", limit: all, windowMs: whole, parts } as const;
    return parts > 1 ? { ...one, ...split } : one;
  }
  const isDeclared =
    Math.abs(one.limit - all) <= 1 || isNear(one.limit, all) || isNear(one.windowMs, whole);
  return one.kind === "token bucket" && !isDeclared
    ? { ...one, kind: "bucket with its own rate" }
    : one;
}

const processesMax = 8;

/** A whole multiple of the limit in the declared window. */
function isManyCounters(one: NamedFound, { limit, windowMs }: Declared): boolean {
  const times = one.limit / limit;
  const isMultiple = Number.isInteger(times) && times >= 2 && times <= processesMax;
  return one.explained !== undefined && isMultiple && isNear(one.windowMs, windowMs);
}

const partsMax = 20;

/** Into how many windows the declared one is split, each with its part of the limit; 1: it is not. */
function partsOf({ limit, windowMs }: NamedFound, declared: Declared): number {
  const parts = Math.round(declared.windowMs / windowMs);
  const isPart = isNear(parts * windowMs, declared.windowMs) && parts >= 2 && parts <= partsMax;
  return isPart && limit === Math.ceil(declared.limit / parts) ? parts : 1;
}

/** Within a fiftieth. */
function isNear(one: number, other: number): boolean {
  return Math.abs(one / other - 1) <= 0.02;
}

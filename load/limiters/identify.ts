import { distance, isRangeNear } from "./distance.ts";
import type { Declared, Explained, LimiterKind, NamedFound, Search } from "./kind.ts";
import { isToldApart, limiterKinds, none } from "./kinds.ts";
import type { LimiterModel } from "./kinds.ts";
import { Timeline } from "./timeline.ts";
import type { TracedRequest } from "./trace.ts";

/**
 * A limiter and how many requests of a trace it gets wrong. Its limit is that of a window, or the capacity of a
 * bucket; it is infinite where nothing limits.
 */
export interface Fit extends LimiterModel {
  readonly differences: number;
}

/** A kind that explains everything that was seen, with all its limits and windows that do. */
export interface Remaining extends Explained {
  readonly kind: string;
}

export interface Identification {
  readonly best: Fit;
  /** The best fit of every other kind, the nearest first. */
  readonly others: readonly Fit[];
  /** Every kind that explains the whole trace; none where no model does or nothing was refused. */
  readonly remaining: readonly Remaining[];
  /** The bounds of the best fit's window; absent where nothing explains the trace. */
  readonly window?: Explained["windows"];
}

/**
 * The limiters that explain a trace: kind, limit and window together. Of several that explain it
 * equally well, the best is the one nearest to what is declared, then the simpler kind.
 * @param clockGrainMs what the clock of the limiter is rounded to.
 */
export function identify(
  requests: readonly TracedRequest[],
  declared: Declared,
  clockGrainMs = 0,
): Identification {
  const trace = new Timeline(requests, clockGrainMs);
  if (trace.refused.size === 0) return { best: unlimited(0), others: [], remaining: [] };
  const all = searchAllKinds(trace, declared);
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

/**
 * The kinds that explain a trace with about the declared limit and window; all kinds where none does. A kind that
 * needs a limit which nobody declared, such as 1100 in 11 s for 1000 in 10 s, is not likely.
 */
export function likelyKinds(
  remaining: readonly Remaining[],
  declared: Declared,
): readonly Remaining[] {
  const likely = remaining.filter(
    ({ limits: { least, most }, windows: { shortestMs, longestMs } }) =>
      isRangeNear([least, most], declared.limit) &&
      isRangeNear([shortestMs, longestMs], declared.windowMs),
  );
  return likely.length > 0 ? likely : remaining;
}

/** Searches round windows first; if none explains the trace, also others, and then kinds that explain too much. */
function searchAllKinds(trace: Timeline, declared: Declared): readonly NamedFound[] {
  const searched = (searchOf: (kind: LimiterKind) => Search | undefined): readonly NamedFound[] =>
    limiterKinds.flatMap((kind) => {
      const one = searchOf(kind)?.(trace, declared);
      return one === undefined ? [] : [{ kind: kind.name, ...one }];
    });
  const round = searched((kind) => (isToldApart(kind) ? kind.search : undefined));
  const all = isExplained(round)
    ? round
    : withOthers(
        round,
        searched((kind) => kind.searchOthers),
      );
  const isSingle = isExplained(all) || !isOver(trace, declared);
  const last = isSingle ? [] : searched(({ search, isLast }) => (isLast ? search : undefined));
  return [...all, ...last].map((one) => renamedByNumbers(one, declared));
}

function isExplained(all: readonly NamedFound[]): boolean {
  return all.some(({ explained }) => explained !== undefined);
}

/** Replaces each finding by the later one of the same kind, where there is one. */
function withOthers(
  round: readonly NamedFound[],
  others: readonly NamedFound[],
): readonly NamedFound[] {
  return round.map((one) => others.find(({ kind }) => kind === one.kind) ?? one);
}

/** Whether more than the limit was admitted within one window: then several processes may count. */
function isOver({ admitted, comparedAdmitted }: Timeline, { limit, windowMs }: Declared): boolean {
  return comparedAdmitted.some(
    ({ answeredMs }) => admitted.surelyAfter(answeredMs - windowMs, answeredMs) > limit,
  );
}

/** Keeps the first limiter of each kind: one may have got the name of another kind. */
function firstOfEachKind(sorted: readonly NamedFound[], taken: string): readonly NamedFound[] {
  const seen = new Set([taken]);
  return sorted.filter(({ kind }) => {
    const isFirst = !seen.has(kind);
    seen.add(kind);
    return isFirst;
  });
}

function unlimited(refused: number): NamedFound {
  return { kind: none.name, limit: Infinity, windowMs: Infinity, differences: refused };
}

function fitOf({ explained: _explained, bounds: _bounds, ...fit }: NamedFound): Fit {
  return fit;
}

function order(one: NamedFound, other: NamedFound, declared: Declared): number {
  return (
    one.differences - other.differences ||
    compare(distance(one, declared), distance(other, declared)) ||
    placeOf(one) - placeOf(other)
  );
}

function placeOf(one: NamedFound): number {
  return limiterKinds.findIndex(({ name }) => name === one.kind);
}

function compare(one: number, other: number): number {
  return one === other ? 0 : one - other;
}

/** Two kinds can behave alike. Renames a found limiter to another kind where its limit and window fit that better. */
function renamedByNumbers(one: NamedFound, declared: Declared): NamedFound {
  for (const { name, recognise } of limiterKinds) {
    const numbers = recognise?.(one, declared);
    if (numbers !== undefined) return { ...one, ...numbers, kind: name };
  }
  return one;
}

import type { LimitBounds } from "./limit-bounds.ts";

interface Demanding {
  /** What a trace demands of the limit. */
  readonly demands: LimitBounds;
}

/** A candidate, and what a trace demands of its limit. */
export interface ScoredCandidate<T> extends Demanding {
  readonly candidate: T;
}

interface Scoring<T> {
  /** What a few requests of the trace demand; its contradiction is never greater than that of `fully`. */
  readonly roughly: (candidate: T) => LimitBounds;
  readonly fully: (candidate: T) => LimitBounds;
  /** How many of those that come nearest are wanted. */
  readonly count: number;
}

/**
 * All candidates that explain the trace, and at least the `count` that come nearest to it, in the order
 * in which they were given. Candidates that a rough look already refutes are not examined in full.
 */
export function nearestCandidates<T>(
  candidates: readonly T[],
  { roughly, fully, count }: Scoring<T>,
): readonly ScoredCandidate<T>[] {
  const rough = candidates
    .map((candidate, at) => ({ candidate, at, least: contradiction(roughly(candidate)) }))
    .toSorted((one, other) => one.least - other.least);
  const found: (ScoredCandidate<T> & { readonly at: number })[] = [];
  const best: number[] = [];
  for (const { candidate, at, least } of rough) {
    if (least > Math.max(0, best[count - 1] ?? Infinity)) break;
    const demands = fully(candidate);
    found.push({ candidate, demands, at });
    best.push(contradiction(demands));
    best.sort((one, other) => one - other);
    best.length = Math.min(best.length, count);
  }
  return found.toSorted((one, other) => one.at - other.at);
}

/** Sorts what was tried: what comes nearest to the trace first. */
export function byContradiction(one: Demanding, other: Demanding): number {
  return contradiction(one.demands) - contradiction(other.demands);
}

/** By how much demands contradict each other; 0 or less: not at all. */
export function contradiction({ least, most }: Pick<LimitBounds, "least" | "most">): number {
  return least - most;
}

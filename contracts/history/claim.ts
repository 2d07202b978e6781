import type { RequirementId } from "../../openapi/requirements.ts";
import type { Evidence } from "../../reports/model.ts";
import type { RequestSpan } from "../../client/exchange.ts";

/** Where the judgement records its differences and attaches their evidence. */
export interface HistoryJudge {
  readonly expect: {
    readonly of: (requirement: RequirementId) => {
      /** Compares, and returns whether it holds. */
      readonly that: (
        holds: boolean,
        words: { readonly at: string; readonly expected: string; readonly got: string },
      ) => boolean;
    };
  };
  readonly attach: (evidence: Evidence) => void;
}

/** A statement about what was observed, and the words to report where it does not hold. */
export interface Claim {
  readonly of: RequirementId;
  readonly holds: boolean;
  readonly at: string;
  readonly expected: string;
  readonly got: string;
  /** The observations that it is about. */
  readonly seenIn: readonly { readonly evidence: () => Evidence }[];
}

/** Records a difference and attaches its evidence unless the claim holds. */
export function judgeClaim(
  { of, holds, seenIn, ...comparison }: Claim,
  { expect, attach }: HistoryJudge,
): void {
  if (expect.of(of).that(holds, comparison)) return;
  for (const { evidence } of seenIn) attach(evidence());
}

/** From the beginning of one request to the end of a later one. */
export function spanOf(first: RequestSpan, last: RequestSpan): RequestSpan {
  return { sentAtMs: first.sentAtMs, answeredAtMs: last.answeredAtMs };
}

/** Whether two spans have a moment in common, so that neither surely came before the other. */
export function overlap(one: RequestSpan, other: RequestSpan): boolean {
  return one.answeredAtMs >= other.sentAtMs && one.sentAtMs <= other.answeredAtMs;
}

/** Pairs what was seen, in order of time, each with the next that surely came later. */
export function successions<Seen extends RequestSpan>(
  sightings: readonly Seen[],
): readonly (readonly [earlier: Seen, later: Seen])[] {
  const pairs: (readonly [Seen, Seen])[] = [];
  const [first, ...others] = sightings.toSorted((a, b) => a.sentAtMs - b.sentAtMs);
  let earlier = first;
  for (const later of others) {
    if (earlier === undefined || later.sentAtMs < earlier.answeredAtMs) continue;
    pairs.push([earlier, later]);
    earlier = later;
  }
  return pairs;
}

import type { RequestSpan } from "../../client/exchange.ts";

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

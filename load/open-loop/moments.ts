/** How requests arrive: at equal distances, or independent of each other (a Poisson process). */
export type Arrival = "even" | "poisson";

interface Arriving {
  readonly perSecond: number;
  readonly durationMs: number;
  readonly arrival: Arrival;
  /** Numbers from 0 to below 1. */
  readonly random: () => number;
}

/** The planned moments of a rate, in ms from its start, in order. */
export function plannedMoments({
  perSecond,
  durationMs,
  arrival,
  random,
}: Arriving): readonly number[] {
  const everyMs = 1_000 / perSecond;
  const moments: number[] = [];
  // Rates that begin together are not sent in the same millisecond each time.
  let atMs = everyMs * random();
  while (atMs < durationMs) {
    moments.push(atMs);
    atMs += arrival === "even" ? everyMs : -Math.log(1 - random()) * everyMs;
  }
  return moments;
}

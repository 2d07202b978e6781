import type { ProbeExchange } from "../probe/connection.ts";

/**
 * How many of the requests were in flight at one moment, as far as the timestamps show it: each from
 * its last byte to the first byte of its answer.
 */
export function mostInFlight(exchanges: readonly ProbeExchange[]): number {
  const events = exchanges.flatMap(({ sentMs, firstByteMs, answeredMs }) => [
    { atMs: sentMs, change: 1 },
    { atMs: firstByteMs ?? answeredMs, change: -1 },
  ]);
  // Requests that end and begin at the same moment do not overlap, so the end comes first.
  events.sort((one, other) => one.atMs - other.atMs || one.change - other.change);
  let inFlight = 0;
  let most = 0;
  for (const { change } of events) {
    inFlight += change;
    most = Math.max(most, inFlight);
  }
  return most;
}

/** How many were sent before the moment and had no answer at it. */
export function inFlightAt(exchanges: readonly ProbeExchange[], momentMs: number): number {
  return exchanges.filter(
    ({ sentMs, firstByteMs, answeredMs }) =>
      sentMs < momentMs && (firstByteMs ?? answeredMs) >= momentMs,
  ).length;
}

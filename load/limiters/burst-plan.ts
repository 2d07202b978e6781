import type { TraceStep } from "./trace.ts";

/** Requests that are sent together, some time after those before them were answered. */
export interface BurstPart {
  readonly count: number;
  readonly afterMs: number;
  /** Whether it only watches for free places after the burst, and is no part of it. */
  readonly isWatching: boolean;
}

/** The result of a part. */
export interface Sent {
  readonly isRefused: boolean;
  /** When its last answer was there. */
  readonly nowMs: number;
}

/** How many times a burst is extended at most. */
const growthsMax = 3;
/** A step of at least this many requests is a burst. */
export const burstFrom = 20;
/** More than a bucket can gain while the first parallel requests of a burst are answered. */
const firstFew = 10;
/** How many single requests watch for free places after a burst. */
const watchers = 20;
const watchersPerPlace = 10;
const watchEveryMs = { least: 1, most: 20 } as const;

/**
 * Yields the parts of a step; each is to be sent once the one before is answered, whose result is passed back. A burst
 * begins with one request and then a few, so that its start is known well, and is extended until one is refused. Then
 * single requests watch for as long as a bucket takes to let two more through: with none beside them, they show to a
 * fraction of a request how far it has filled. On a clock that stands still there is nothing to watch.
 */
export function* partsOf(
  { count, growsBy = 0 }: TraceStep,
  { placeMs, isStill }: { readonly placeMs: number; readonly isStill: boolean },
): Generator<BurstPart, void, Sent> {
  const isBurst = count >= burstFrom;
  const growths = growsBy > 0 ? Array.from({ length: growthsMax }, () => growsBy) : [];
  const few = 1 + firstFew;
  const sizes = isBurst ? [1, firstFew, count - few, ...growths] : [count, ...growths];
  let last: Sent = { isRefused: false, nowMs: 0 };
  for (const [at, size] of sizes.entries()) {
    const isGrowth = at >= sizes.length - growths.length;
    if (isGrowth && last.isRefused) break;
    const { isRefused, nowMs } = yield { count: size, afterMs: 0, isWatching: false };
    last = { isRefused: last.isRefused || isRefused, nowMs };
  }
  if (isBurst && last.isRefused && !isStill) yield* watch(last.nowMs, placeMs);
}

/** Single requests that watch for free places after a burst, until two must have come free. */
function* watch(fromMs: number, placeMs: number): Generator<BurstPart, void, Sent> {
  const { least, most } = watchEveryMs;
  const afterMs = Math.min(most, Math.max(least, placeMs / watchersPerPlace));
  const untilMs = fromMs + 2 * watchers * afterMs;
  let nowMs = fromMs;
  for (let sent = 0; sent < watchers && nowMs <= untilMs; sent += 1) {
    ({ nowMs } = yield { count: 1, afterMs, isWatching: true });
  }
}

/** Sends the parts of a step, one after the other. */
export async function sendParts(
  parts: Generator<BurstPart, void, Sent>,
  send: (part: BurstPart) => Promise<Sent>,
): Promise<void> {
  let next = parts.next();
  while (next.done !== true) next = parts.next(await send(next.value));
}

/** How many requests a step has at most. */
export function requestsOfStep({ count, growsBy = 0 }: TraceStep): number {
  return count + growsBy * growthsMax + (count >= burstFrom ? watchers : 0);
}

import type { TraceStep } from "./trace.ts";

/** Requests that are sent together, some time after those before them were answered. */
export interface BurstPart {
  readonly count: number;
  readonly afterMs: number;
  /** Whether it only looks what comes free, and is no more a part of the burst. */
  readonly isWatching: boolean;
}

/** What came of a part. */
export interface Sent {
  readonly isRefused: boolean;
  /** When its last answer was there. */
  readonly nowMs: number;
}

/** A burst that goes on does so this many times at most. */
const growthsMax = 3;
/** A step of this many requests is a burst. */
const burstFrom = 20;
/** More than a bucket can fill by while the first of a burst that come side by side are answered. */
const firstFew = 10;
/** After a burst so many requests, one at a time, watch when places come free. */
const watchers = 20;
const watchersPerPlace = 10;
const watchEveryMs = { least: 1, most: 20 } as const;

/**
 * The parts of a step, each sent when all of the one before is answered; what came of it is handed to
 * the next. The first request of a burst comes alone and a few follow it, so that it is known well when
 * it began. A burst goes on until one is refused. Then single requests watch for as long as a bucket
 * takes to let two more through: with none beside them they tell to a part of a request how far it has
 * filled. Where time stands still there is nothing to watch.
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

/** Single requests that look what comes free after a burst, until two places surely have. */
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

import type { TraceStep } from "./trace.ts";

/** Requests that are sent together, some time after those before them were answered. */
export interface Part {
  readonly count: number;
  readonly afterMs: number;
  /** Looks what comes free, no more a part of the burst: only so long after it. */
  readonly watchMs?: number;
}

/** A burst that goes on does so this many times at most. */
const growthsMax = 3;
/** So many requests of a step are a burst. */
const burstFrom = 20;
/** More than a bucket can fill by while the first of a burst that come side by side are answered. */
const firstFew = 10;
/** After a burst so many requests, one at a time, watch when places come free. */
const watchers = 20;
const watchersPerPlace = 10;
const watchEveryMs = { least: 1, most: 20 } as const;

/**
 * The parts of a step, each sent when all of the one before is answered; what is handed to the next is
 * whether one of its requests was refused. The first request of a burst comes alone and a few follow
 * it, so that it is known well when it began. A burst goes on until one is refused. Then single requests watch for as long as a
 * bucket takes to let two more through: with none beside them they tell to a part of a request how far
 * it has filled. Where time stands still there is nothing to watch.
 */
export function* partsOf(
  { count, growsBy = 0 }: TraceStep,
  { placeMs, isStill }: { readonly placeMs: number; readonly isStill: boolean },
): Generator<Part, void, boolean> {
  const isBurst = count >= burstFrom;
  const growths = growsBy > 0 ? Array.from({ length: growthsMax }, () => growsBy) : [];
  const few = 1 + firstFew;
  const sizes = isBurst ? [1, firstFew, count - few, ...growths] : [count, ...growths];
  let isRefused = false;
  for (const [at, size] of sizes.entries()) {
    const isGrowth = at >= sizes.length - growths.length;
    if (isGrowth && isRefused) break;
    const wasRefused = yield { count: size, afterMs: 0 };
    isRefused ||= wasRefused;
  }
  if (!isBurst || !isRefused || isStill) return;
  const { least, most } = watchEveryMs;
  const afterMs = Math.min(most, Math.max(least, placeMs / watchersPerPlace));
  const watchMs = 2 * watchers * afterMs;
  for (let sent = 0; sent < watchers; sent += 1) yield { count: 1, afterMs, watchMs };
}

/** How many requests a step has at most. */
export function requestsOfStep({ count, growsBy = 0 }: TraceStep): number {
  return count + growsBy * growthsMax + (count >= burstFrom ? watchers : 0);
}

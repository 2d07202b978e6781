import { setTimeout as pause } from "node:timers/promises";

import { monotonicNowMs } from "../../client/exchange.ts";

/** Something that is to begin at a moment, in milliseconds of the monotonic clock. */
export interface Slot {
  readonly atMs: number;
  readonly begin: (plannedMs: number) => Promise<unknown>;
}

/** How late slots began, in ms: a generator that is late has not sent what was planned. */
export interface Lateness {
  readonly begun: number;
  readonly lateMs: readonly number[];
}

/**
 * Begins each slot at its moment, however long those before it take, and settles when all of them are over. After
 * an abort nothing more begins.
 * @throws the first error of a slot
 */
export async function runOpenLoop(slots: readonly Slot[], signal?: AbortSignal): Promise<Lateness> {
  const lateMs: number[] = [];
  const under: Promise<unknown>[] = [];
  for (const { atMs, begin } of slots.toSorted((one, other) => one.atMs - other.atMs)) {
    const leftMs = atMs - monotonicNowMs();
    if (leftMs > 0) await pause(leftMs, undefined, { signal }).catch(() => undefined);
    if (signal?.aborted === true) break;
    const nowMs = monotonicNowMs();
    lateMs.push(Math.max(0, nowMs - atMs));
    // A timer may fire a fraction of a millisecond early.
    under.push(begin(Math.min(atMs, nowMs)));
  }
  await Promise.all(under);
  return { begun: lateMs.length, lateMs };
}

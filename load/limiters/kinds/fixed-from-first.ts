import type { LimiterKind, Admit } from "../kind.ts";
import { LimitBounds } from "../limit-bounds.ts";
import { instantMs } from "../rounding.ts";
import { byWindow } from "../search.ts";
import type { Timeline } from "../timeline.ts";
import type { TracedRequest } from "../trace.ts";

/** A window opens with the first request after the last one has closed. */
export const fixedFromFirst: LimiterKind = {
  name: "fixed from first request",
  reading: "fixed",
  start: ({ limit, windowMs }) => startFixedFromFirst(limit, windowMs),
  limitsIn: (windows) => ({ least: windows, most: windows }),
  ...byWindow((trace, windowMs) => [{ demands: demandsOf(trace, windowMs) }]),
};

export function startFixedFromFirst(limit: number, windowMs: number): Admit {
  let openedMs = Number.NEGATIVE_INFINITY;
  let used = 0;
  return (nowMs, count) => {
    if (nowMs >= openedMs + windowMs) {
      openedMs = nowMs;
      used = 0;
    }
    const admitted = Math.max(0, Math.min(count, limit - used));
    used += admitted;
    return admitted;
  };
}

/** What is known of the end of one window and the beginning of the next. */
interface Closed {
  /** The window was not closed before. */
  readonly fromMs: number;
  /** An admitted request that was sent then or later belongs to the next window. */
  readonly admittedFromMs: number;
  /** Any request that was sent then or later belongs to the next window. */
  readonly allFromMs: number;
  /** The next window was open then at the latest. */
  readonly openByMs: number;
}

function nextOpening(
  { closesFromMs, closesByMs }: { readonly closesFromMs: number; readonly closesByMs: number },
  next: TracedRequest | undefined,
  trace: Timeline,
): Closed {
  const { sentMs, answeredMs } = next ?? { sentMs: Infinity, answeredMs: Infinity };
  return {
    fromMs: closesFromMs,
    admittedFromMs: Math.min(closesByMs, sentMs),
    allFromMs: Math.min(closesByMs, answeredMs),
    openByMs: Math.min(trace.firstCountedAfter(closesByMs), answeredMs),
  };
}

/** The demands of windows that open with a request, which is admitted itself. */
function demandsOf(trace: Timeline, windowMs: number): LimitBounds {
  const demands = new LimitBounds();
  let step = 0;
  // After a pause of a window's length no window is open, whatever is not known of those before it.
  for (const stretch of trace.stretches(windowMs)) {
    step = demandOfStretch(demands, { ...stretch, trace, windowMs, step });
  }
  return demands;
}

interface Stretch {
  readonly trace: Timeline;
  readonly windowMs: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** The number of its first window. */
  readonly step: number;
}

/** Adds what the windows of a stretch demand, and returns the number of the next window. */
function demandOfStretch(
  demands: LimitBounds,
  { trace, windowMs, firstMs, lastMs, step: first }: Stretch,
): number {
  const { admitted } = trace;
  const openByMs = trace.firstCountedAfter(firstMs);
  let closed: Closed = { fromMs: firstMs, admittedFromMs: firstMs, allFromMs: firstMs, openByMs };
  let step = first;
  for (; closed.fromMs <= lastMs; step += 1) {
    const opener = trace.firstAdmitted(-Infinity, closed.fromMs);
    if (opener === undefined || opener.sentMs > lastMs) break;
    const closesFromMs = Math.max(opener.sentMs, closed.fromMs) + windowMs;
    const closesByMs = closed.openByMs + windowMs;
    demands.atLeast(step, admitted.surely(closed.admittedFromMs, closesFromMs - instantMs));
    const refusedMs = trace.firstRefusalAfter(closed.allFromMs);
    const isExhausted = refusedMs < closesFromMs;
    if (isExhausted) demands.atMost(step, admitted.possiblyBefore(closed.fromMs, refusedMs));
    // A request that is admitted after a refusal belongs to a later window.
    const next = isExhausted ? trace.firstAdmitted(refusedMs, closesFromMs) : undefined;
    closed = nextOpening({ closesFromMs, closesByMs }, next, trace);
  }
  return step;
}

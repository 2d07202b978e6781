import { Demands } from "./limit-bounds.ts";
import type { Asked } from "./points.ts";
import type { Timeline } from "./timeline.ts";
import type { TracedRequest } from "./trace.ts";

/**
 * Each function asks what the answers of a trace demand of a limit if the limiter is of one kind and
 * its windows are of one length. A demand counts only what is certain wherever in its interval each
 * request was counted, so no limiter contradicts its own trace, however late answers come.
 */

/** A part of a moment, so that the end of a window is not in it. */
const instantMs = 1e-9;
/** Rounding must not cost a limiter of fractions one whole request. */
const epsilon = 1e-3;
/** Requests nearer to each other than this are at one moment: a bucket fills by nothing between them. */
const besideMs = 1e-2;

/** Windows that begin at multiples of their length after `phaseMs`. */
export function fixedAligned(trace: Timeline, windowMs: number, phaseMs: number): Demands {
  const demands = new Demands();
  const first = Math.floor((trace.firstMs - phaseMs) / windowMs);
  const last = Math.floor((trace.lastMs - phaseMs) / windowMs);
  for (let index = first; index <= last; index += 1) {
    const startMs = phaseMs + index * windowMs;
    const endMs = startMs + windowMs - instantMs;
    demands.atLeast(index, trace.admitted.surely(startMs, endMs));
    const refusedMs = trace.firstRefusalAfter(startMs);
    if (refusedMs <= endMs)
      demands.atMost(index, trace.admitted.possiblyBefore(startMs, refusedMs));
  }
  return demands;
}

/** What is known of the end of one window and the beginning of the next. */
interface Closed {
  /** It was not closed before. */
  readonly fromMs: number;
  /** An admitted request that was sent then or later is of the next window. */
  readonly admittedFromMs: number;
  /** Any request that was sent then or later is of the next window. */
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

/** A window opens with the first request after the last one has closed; that request is admitted. */
export function fixedFromFirst(trace: Timeline, windowMs: number): Demands {
  const demands = new Demands();
  let step = 0;
  // After a pause no window is open any more, whatever is not known of those before it.
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

/** Demands what the windows of a stretch do, and answers the number of the next. */
function demandOfStretch(
  demands: Demands,
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
    // What is admitted after a refusal is of a later window.
    const next = isExhausted ? trace.firstAdmitted(refusedMs, closesFromMs) : undefined;
    closed = nextOpening({ closesFromMs, closesByMs }, next, trace);
  }
  return step;
}

/** Each admitted request counts for the length of the window; refused ones may count, too. */
export function slidingLog(trace: Timeline, windowMs: number, countsRefusals: boolean): Demands {
  const demands = new Demands();
  for (const { sentMs, answeredMs, step } of trace.admittedPoints) {
    const sinceMs = answeredMs - windowMs;
    const admitted = trace.admitted.surelyAfter(sinceMs, answeredMs);
    const refused = countsRefusals ? trace.refused.surelyAfter(sinceMs, sentMs - instantMs) : 0;
    demands.atLeast(step, admitted + refused);
  }
  const points = countsRefusals ? trace.firstRefused : trace.refusedPoints;
  for (const { sentMs, answeredMs, step } of points) {
    const sinceMs = sentMs - windowMs;
    const admitted = trace.admitted.possiblyBefore(sinceMs, answeredMs);
    // Of the refused that were sent from this one on, one was the first: none of them counts for it.
    const refused = countsRefusals ? trace.refused.possibly(sinceMs, sentMs - instantMs) : 0;
    demands.atMost(step, admitted + refused);
  }
  return demands;
}

interface CounterWindows {
  readonly windowMs: number;
  readonly phaseMs: number;
  /** Whether the fraction of a request is cut off. */
  readonly cutsOff: boolean;
}

/** The window before counts in proportion to how much of it the sliding window still covers. */
export function slidingCounter(
  { admitted }: Timeline,
  { windowMs, phaseMs, cutsOff }: CounterWindows,
  { admittedPoints, refusedPoints }: Asked,
): Demands {
  const demands = new Demands();
  const startOf = (ms: number): number =>
    phaseMs + Math.floor((ms - phaseMs) / windowMs) * windowMs;
  const covered = (ms: number, startMs: number): number => 1 - (ms - startMs) / windowMs;
  for (const { answeredMs, step } of admittedPoints) {
    const startMs = startOf(answeredMs);
    const now = admitted.surely(startMs, answeredMs);
    // Whoever came as the window began counts as one of the window before, which is less.
    const before = admitted.surely(startMs - windowMs, answeredMs) - now;
    const rest = before * covered(answeredMs, startMs) - (before === 0 ? 0 : epsilon);
    demands.atLeast(step, now + Math.max(0, cutsOff ? Math.floor(rest) : Math.ceil(rest)));
  }
  const mostAt = (fromMs: number, countFrom: (ms: number) => number): number => {
    const startMs = startOf(fromMs);
    const now = countFrom(startMs);
    // Whoever came as the window began counts as one of this window, which is more.
    const before = countFrom(startMs - windowMs) - now;
    const rest = before * covered(fromMs, startMs) + (before === 0 ? 0 : epsilon);
    return now + (cutsOff ? Math.floor(rest) : Math.ceil(rest));
  };
  for (const { sentMs, answeredMs, step } of refusedPoints) {
    const lastStartMs = startOf(answeredMs);
    const most = mostAt(Math.max(sentMs, lastStartMs), (ms) =>
      admitted.possiblyBefore(ms, answeredMs),
    );
    // Where a window ended meanwhile, either may have refused it.
    const inEarlier = (ms: number): number => admitted.possibly(ms, lastStartMs - instantMs);
    const earlier = sentMs < lastStartMs ? mostAt(sentMs, inEarlier) : 0;
    demands.atMost(step, Math.max(most, earlier));
  }
  return demands;
}

/** A bucket that is full at first and fills evenly; what is demanded is its capacity. GCRA is the same. */
export function bucket(trace: Timeline, perMs: number, asked: Asked): Demands {
  const demands = new Demands();
  const { admitted, starts } = trace;
  let start = 0;
  let most = -Infinity;
  for (const { answeredMs, step } of asked.admittedPoints) {
    for (let one = starts[start]; one !== undefined && one.sentMs <= answeredMs;) {
      most = Math.max(most, perMs * one.sentMs - one.sentBefore);
      one = starts[(start += 1)];
    }
    const capacity = admitted.answeredUpTo(answeredMs) - perMs * answeredMs + most;
    demands.atLeast(step, Math.ceil(capacity - epsilon));
  }
  for (const { sentMs, answeredMs, step } of asked.refusedPoints) {
    const used = admitted.sentBefore(answeredMs);
    // Since a request that came before, the bucket has filled; since one beside it, it has not.
    const before = used - perMs * sentMs + trace.fullest(perMs, sentMs - besideMs);
    const beside = used - trace.leastAnsweredBeside(sentMs - besideMs);
    demands.atMost(step, Math.max(beside, Math.ceil(before + epsilon)));
  }
  return demands;
}

/**
 * Processes that count each for itself, with windows from their first request, and no telling which
 * of them a request goes to: as many as the trace holds at once, and a refusal by a full one.
 */
export function perProcess(trace: Timeline, windowMs: number, processes: number): Demands {
  const demands = new Demands();
  for (const { answeredMs, step } of trace.admittedPoints) {
    const windows = answeredMs < trace.firstMs + windowMs ? 1 : 2;
    const admitted = trace.admitted.surelyAfter(answeredMs - windowMs, answeredMs);
    demands.atLeast(step, Math.ceil(admitted / (processes * windows)));
  }
  for (const { sentMs, answeredMs, step } of trace.refusedPoints) {
    demands.atMost(step, trace.admitted.possibly(sentMs - windowMs, answeredMs));
  }
  return demands;
}

/** One request as a trace saw it: the limiter looked at it somewhere between the two moments. */
export interface TracedRequest {
  /** On the trace's clock, in milliseconds. */
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly isAdmitted: boolean;
}

/** What to send for a trace: how many requests at which time after its start. */
export interface TraceStep {
  readonly atMs: number;
  readonly count: number;
  /** The size of the parts by which the burst is extended until a request is refused; absent: it is not. */
  readonly growsBy?: number;
}

/** How many requests over the limit a burst has. */
const beyondLimit = 3;

/**
 * Shares of the window at which the bursts come after the first request, and at which the trace ends.
 * No round window brings two of them to the same place in it.
 */
const firstBurst = 0.43;
export const secondBurst = 1.56;
const traceEnd = 2.67;

/** Small bursts soon after the second: how many windows after it, and what share of the limit. */
const refills = [
  { after: 0.02, share: 0.035 },
  { after: 0.07, share: 0.065 },
] as const;
/** Where requests are few, one more small burst tells a bucket from limiters that fill in another way. */
const lateRefill = { after: 0.31, share: 0.3 } as const;
const fewRequests = 200;
/**
 * Where requests are many, some between the bursts keep a bucket from being full at the second. What it
 * admits from the first burst to then is twice its capacity, which is then known twice as exactly.
 */
const keepsLow = { at: 1.22, share: 0.19 } as const;

/** A limit under this shows little at a time: more bursts follow, at distances without a common measure. */
export const tellingLimit = 50;
const tail = Array.from({ length: 9 }, (_, index) => 2.81 + 0.373 * index);
/** How many windows before the last burst no request is sent, so that it finds the whole limit free for any kind. */
const silence = 2.25;

/** Where windows of these lengths may end: a request comes just before and, after a pause, another one. */
const ends = [0.9, 1, 1.1] as const;
const besideEnd = 0.001;
const pauseAfterEnd = 0.02;

/**
 * The trace that tells limiters apart: 2.7 windows, 2.25 of silence and a burst. A few requests come by
 * themselves, so that a window that opens with the first is not one of the burst; a burst over the limit
 * shows the limit; single requests show when places come back; a second burst, more than a window after
 * the first, shows how many had come back by then; small ones soon after it show how fast a bucket
 * fills. After the end of a window from the first request there is a pause, so that the next opens out
 * of step. The last burst finds the whole limit free. The endpoint has to be silent for two windows before.
 * @param limit the declared one. From 100 on all kinds differ; with less, some look the same.
 */
export function traceSteps(limit: number, windowMs: number): readonly TraceStep[] {
  const at = (windows: number): number => Math.round(windows * windowMs);
  const burst = { count: limit + beyondLimit, growsBy: Math.ceil(0.4 * limit) };
  const steps: readonly TraceStep[] = [
    { atMs: 0, count: Math.min(5, Math.ceil(limit / 20)) },
    { atMs: at(firstBurst), ...burst },
    ...early(limit).map((share) => ({ atMs: at(share), count: 1 })),
    { atMs: at(secondBurst), ...burst },
    ...(limit > fewRequests
      ? [{ atMs: at(keepsLow.at), count: Math.ceil(keepsLow.share * limit) }]
      : []),
    ...(limit > fewRequests ? refills : [...refills, lateRefill]).map(({ after, share }) => ({
      atMs: at(secondBurst + after),
      count: Math.ceil(share * limit),
    })),
    ...late().map((share) => ({ atMs: at(share), count: 1 })),
    ...(limit < tellingLimit ? tail.map((share) => ({ atMs: at(share), count: limit + 1 })) : []),
  ];
  const sorted = steps.toSorted((one, other) => one.atMs - other.atMs);
  return [...sorted, burstAfterSilence(sorted.at(-1)?.atMs ?? 0, limit, windowMs)];
}

/** From the first request of a trace to its last burst. */
export function traceLengthMs(limit: number, windowMs: number): number {
  return Math.max(...traceSteps(limit, windowMs).map(({ atMs }) => atMs));
}

/** The burst that comes after a silence, which begins at `fromMs`. */
export function burstAfterSilence(fromMs: number, limit: number, windowMs: number): TraceStep {
  return { atMs: fromMs + Math.round(silence * windowMs), count: limit + beyondLimit };
}

/** Single requests between the bursts, few enough that they do not use a small limit up. */
function early(limit: number): readonly number[] {
  const perWindow = Math.min(40, Math.floor(0.45 * limit));
  if (perWindow === 0) return [];
  const shares = spread(firstBurst, secondBurst, 1 / perWindow);
  if (perWindow < 40) return shares;
  const inPause = (share: number): boolean =>
    ends.some((end) => share > end - besideEnd && share < end + pauseAfterEnd);
  const edges = ends.flatMap((end) => [end - besideEnd, end + pauseAfterEnd]);
  return [...shares.filter((share) => !inPause(share)), ...edges];
}

const denseFrom = 1.77;

/** Single requests after the second burst, close together where windows end. */
function late(): readonly number[] {
  const last = refills[1].after + secondBurst;
  const edges = ends.map((end) => secondBurst + end).filter((end) => end < traceEnd);
  return [
    ...spread(last, denseFrom, 0.04),
    denseFrom,
    ...spread(denseFrom, traceEnd, 0.0125),
    ...edges.flatMap((end) => [end - besideEnd, end + besideEnd]),
  ];
}

/** Moments between two others, at equal distances. */
function spread(from: number, to: number, every: number): readonly number[] {
  const count = Math.max(0, Math.ceil((to - from) / every - 1e-9) - 1);
  return Array.from({ length: count }, (_, index) => from + (index + 1) * every);
}

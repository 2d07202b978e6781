/** One request as the trace saw it. */
export interface TracedRequest {
  /** On the trace's clock. */
  readonly atMs: number;
  readonly isAdmitted: boolean;
}

/** Requests so close together that their order cannot be known from outside. */
export interface Bin {
  readonly atMs: number;
  readonly sent: number;
  readonly admitted: number;
}

/** How long a bin is on a real clock. */
const binMs = 5;

/**
 * The requests of a trace in bins, by time. A request with no time to its neighbours, as on a virtual
 * clock, shares a bin with them; a bin stands at the time of its first request.
 */
export function binsOf(requests: readonly TracedRequest[]): readonly Bin[] {
  const bins: { atMs: number; sent: number; admitted: number }[] = [];
  for (const { atMs, isAdmitted } of requests.toSorted((one, other) => one.atMs - other.atMs)) {
    const last = bins.at(-1);
    // A moment of a virtual clock is exact: its neighbour a millisecond later is another one.
    const isSame = last !== undefined && (last.atMs === atMs || isClose(last.atMs, atMs));
    const bin = isSame ? last : { atMs, sent: 0, admitted: 0 };
    if (!isSame) bins.push(bin);
    bin.sent += 1;
    bin.admitted += isAdmitted ? 1 : 0;
  }
  return bins;
}

/** Whole milliseconds are those of a virtual clock. */
function isClose(oneMs: number, otherMs: number): boolean {
  if (Number.isInteger(oneMs) && Number.isInteger(otherMs)) return false;
  return otherMs - oneMs < binMs;
}

/** What to send for a trace: how many requests at which time after its start. */
export interface TraceStep {
  readonly atMs: number;
  readonly count: number;
}

const shareOfProbe = 0.1;

/**
 * The shortest trace that tells the kinds of limiters apart: a burst over the limit, single requests
 * on both sides of every tenth of the window, silence, and parts of the limit at chosen distances.
 * The first request comes by itself, so that a window that opens with it is not one of the burst.
 * @param limit the declared one; 10 or more tells every kind apart.
 */
export function traceSteps(limit: number, windowMs: number): readonly TraceStep[] {
  const at = (windows: number, ms = 0): number => Math.round(windows * windowMs) + ms;
  const burstMs = at(0.4);
  const edges = Array.from({ length: 13 }, (_, index) => (index + 1) * shareOfProbe);
  const probes = edges.flatMap((edge) => [
    { atMs: burstMs + at(edge, -2), count: 1 },
    { atMs: burstMs + at(edge, 2), count: 1 },
  ]);
  const again = burstMs + at(3.77);
  // Half a window out of step, so that an aligned edge falls between the parts once at least.
  const outOfStep = again + at(3.5);
  return [
    { atMs: 0, count: 1 },
    { atMs: burstMs, count: Math.max(limit + 2, Math.ceil(2.2 * limit)) },
    ...probes,
    { atMs: again, count: Math.ceil(limit / 2) },
    { atMs: again + at(0.6), count: Math.ceil(0.55 * limit) },
    { atMs: again + at(1.02), count: Math.ceil(1.2 * limit) },
    { atMs: outOfStep, count: Math.ceil(limit / 2) },
    { atMs: outOfStep + at(0.6), count: Math.ceil(0.55 * limit) },
    { atMs: outOfStep + at(0.95), count: 2 },
    { atMs: outOfStep + at(1.05), count: 2 },
  ];
}

import { isNear } from "../distance.ts";
import type { LimiterKind, LimiterNumbers, Admit } from "../kind.ts";
import { LimitBounds } from "../limit-bounds.ts";
import { byContradiction } from "../nearest-candidates.ts";
import { instantMs } from "../rounding.ts";
import { byWindow, phasesAllAround } from "../search.ts";
import type { Variant } from "../search.ts";
import type { CountedSpan, Timeline } from "../timeline.ts";

/** Windows begin at multiples of their length, whenever the requests come. */
export const fixedAligned: LimiterKind = {
  name: "fixed aligned",
  reading: "fixed",
  start: ({ limit, windowMs, phaseMs }) => startFixedAligned(limit, windowMs, phaseMs),
  limitsIn: (windows) => ({ least: windows, most: windows + 1 }),
  ...byWindow((trace, windowMs) => alignedWindows(trace, windowMs)),
};

const partsMax = 20;

/** The window is split into shorter ones, each with its part of the limit. */
export const splitWindows: LimiterKind = {
  name: "split windows",
  reading: "fixed",
  start: ({ limit, windowMs, phaseMs, parts }) =>
    startFixedAligned(limit / parts, windowMs / parts, phaseMs),
  recognise: ({ kind, limit, windowMs }, declared) => {
    const parts = Math.round(declared.windowMs / windowMs);
    const isPart = isNear(parts * windowMs, declared.windowMs) && parts >= 2 && parts <= partsMax;
    const isSplit = isPart && limit === Math.ceil(declared.limit / parts);
    return kind === fixedAligned.name && isSplit ? { ...declared, parts } : undefined;
  },
  keptWindowMs,
  remark: (numbers) => `in windows of ${keptWindowMs(numbers) / 1_000} s`,
};

function keptWindowMs({ windowMs, parts = 1 }: LimiterNumbers): number {
  return windowMs / parts;
}

function startFixedAligned(limit: number, windowMs: number, phaseMs: number): Admit {
  let window = Number.NEGATIVE_INFINITY;
  let used = 0;
  return (nowMs, count) => {
    const current = Math.floor((nowMs - phaseMs) / windowMs);
    if (current !== window) used = 0;
    window = current;
    const admitted = Math.max(0, Math.min(count, Math.floor(limit) - used));
    used += admitted;
    return admitted;
  };
}

/** The demands of windows that begin at multiples of their length after `phaseMs`. */
function demandsOf(trace: Timeline, windowMs: number, phaseMs: number): LimitBounds {
  const demands = new LimitBounds();
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

/** Windows with a phase on the trace's clock. */
type Placed = Variant & { readonly phaseMs: number };

const placesTried = 24;
const placesRefined = 3;
const finerLevels = 3;
const finerSteps = 8;

/**
 * Aligned windows of every phase they can have, and of phases all around, to find the nearest.
 * Between a refusal and an admission that was sent after its answer, a window ends.
 */
function alignedWindows(trace: Timeline, windowMs: number): readonly Placed[] {
  const placed = (phaseMs: number): Placed => ({
    phaseMs,
    demands: demandsOf(trace, windowMs, phaseMs),
  });
  const around = phasesAllAround(windowMs).map((phaseMs) => placed(phaseMs));
  const within = endsWithin(trace.edges, windowMs);
  if (within === undefined) return around;
  const { fromMs, toMs } = within;
  let stepMs = (toMs - fromMs) / placesTried;
  let level = Array.from({ length: placesTried + 1 }, (_, at) => placed(fromMs + at * stepMs));
  const found = [...level];
  for (let finer = 0; finer < finerLevels; finer += 1) {
    const nearest = level.toSorted(byContradiction).slice(0, placesRefined);
    stepMs /= finerSteps;
    level = nearest.flatMap(({ phaseMs }) =>
      Array.from({ length: 2 * finerSteps - 1 }, (_, at) =>
        placed(phaseMs + (at + 1 - finerSteps) * stepMs),
      ),
    );
    found.push(...level);
  }
  return [...around, ...found];
}

/** Where windows can end within the first edge if one ends within each edge; undefined: nowhere. */
function endsWithin(edges: readonly CountedSpan[], windowMs: number): CountedSpan | undefined {
  const [first] = edges;
  if (first === undefined) return undefined;
  let { fromMs, toMs } = first;
  for (const edge of edges) {
    // An edge as long as a window contains an end at every phase.
    if (edge.toMs - edge.fromMs >= windowMs) continue;
    const turns = Math.ceil((edge.fromMs - toMs) / windowMs);
    fromMs = Math.max(fromMs, edge.fromMs - turns * windowMs);
    toMs = Math.min(toMs, edge.toMs - turns * windowMs);
    if (fromMs > toMs) return undefined;
  }
  return { fromMs, toMs };
}

import type { Demands } from "./demands.ts";
import type { LimiterKind } from "./kinds.ts";
import { comingNearest, contradiction } from "./nearest.ts";
import { fixedAligned, fixedFromFirst, perProcess, slidingCounter, slidingLog } from "./shapes.ts";
import type { Timeline } from "./timeline.ts";

/** One way in which limiters of a kind with windows of one length can lie on the trace's clock. */
export interface Variant {
  readonly demands: Demands;
  readonly phaseMs?: number;
  readonly parts?: number;
}

/** Limiters of one kind, told apart by the length of their window and, where aligned, by their phase. */
export interface Family {
  readonly kind: LimiterKind;
  readonly variants: (trace: Timeline, windowMs: number) => readonly Variant[];
}

/** All kinds that have one count and a window; buckets are searched in their own way. */
export const families: readonly Family[] = [
  {
    kind: "fixed from first request",
    variants: (trace, ms) => [{ demands: fixedFromFirst(trace, ms) }],
  },
  {
    kind: "fixed aligned",
    variants: (trace, ms) =>
      phasesOf(trace, ms).map((phaseMs) => ({
        phaseMs,
        demands: fixedAligned(trace, ms, phaseMs),
      })),
  },
  {
    kind: "sliding log",
    variants: (trace, ms) => [{ demands: slidingLog(trace, ms, false) }],
  },
  {
    kind: "sliding log counting refusals",
    variants: (trace, ms) => [{ demands: slidingLog(trace, ms, true) }],
  },
  {
    kind: "sliding counter",
    variants: (trace, ms) => counters(trace, ms),
  },
];

/** Tried only where none of the others explains a trace: it explains much. */
export const processes: Family = {
  kind: "counter per process",
  variants: (trace, ms) =>
    [2, 3, 4].map((parts) => ({ parts, demands: perProcess(trace, ms, parts) })),
};

const phasesPerWindow = 32;
const edgesMax = 24;

/** Phases all around, and those that put the end of a window in a gap where it may be. */
function phasesOf({ edges }: Timeline, windowMs: number): readonly number[] {
  const grid = Array.from(
    { length: phasesPerWindow },
    (_, index) => (index * windowMs) / phasesPerWindow,
  );
  const seen = edges.slice(0, edgesMax).flatMap(({ fromMs, toMs }) => {
    const share = (part: number): number => (fromMs + (toMs - fromMs) * part) % windowMs;
    return [0.001, 0.25, 0.5, 0.75, 0.999].map((part) => share(part));
  });
  return [...grid, ...seen];
}

const finerPhases = 16;
const phasesRefined = [8, 4, 3, 3];
/** As a share of what was admitted: how near a phase has to come to be looked at more closely. */
const nearEnough = 0.03;

interface CounterWindow {
  readonly phaseMs: number;
  /** Whether the fraction of a request is cut off. */
  readonly cutsOff: boolean;
}

/** A counter that slides tells its phase to a few milliseconds: the best are looked at ever more closely. */
function counters(trace: Timeline, windowMs: number): readonly Variant[] {
  const nearestOf = (candidates: readonly CounterWindow[], count: number) =>
    comingNearest(candidates, {
      roughly: (one) => slidingCounter(trace, { windowMs, ...one }, trace.outline),
      fully: (one) => slidingCounter(trace, { windowMs, ...one }, trace),
      count,
    });
  const phases = phasesOf(trace, windowMs);
  const all = [false, true].flatMap((cutsOff) => phases.map((phaseMs) => ({ phaseMs, cutsOff })));
  let level = nearestOf(all, phasesRefined[0] ?? 1);
  const found = [...level];
  let stepMs = windowMs / phasesPerWindow;
  for (const [at, count] of phasesRefined.entries()) {
    const around = level
      .filter(({ demands }) => contradiction(demands) <= nearEnough * demands.least + 3)
      .toSorted((one, other) => contradiction(one.demands) - contradiction(other.demands))
      .slice(0, count)
      .flatMap(({ candidate }) => phasesAround(candidate, stepMs));
    level = nearestOf(around, phasesRefined[at + 1] ?? 1);
    found.push(...level);
    stepMs /= finerPhases / 2;
  }
  return found.map(({ candidate: { phaseMs }, demands }) => ({ phaseMs, demands }));
}

function phasesAround(
  { phaseMs, cutsOff }: CounterWindow,
  stepMs: number,
): readonly CounterWindow[] {
  return Array.from({ length: finerPhases - 1 }, (_, index) => ({
    phaseMs: phaseMs + ((index + 1) / (finerPhases / 2) - 1) * stepMs,
    cutsOff,
  }));
}

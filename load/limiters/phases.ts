import type { Demands } from "./limit-bounds.ts";
import { contradiction } from "./nearest.ts";
import { fixedAligned } from "./constraints.ts";
import type { Interval, Timeline } from "./timeline.ts";

/** A place of windows on the trace's clock, and what the trace then demands of the limit. */
export interface Placed {
  readonly phaseMs: number;
  readonly demands: Demands;
}

const phasesPerWindow = 32;

/** Phases all around a window, at equal distances. */
export function phasesAllAround(windowMs: number): readonly number[] {
  return Array.from({ length: phasesPerWindow }, (_, at) => (at * windowMs) / phasesPerWindow);
}

const placesTried = 24;
const placesRefined = 3;
const finerLevels = 3;
const finerSteps = 8;

/**
 * Windows that begin at multiples of their length: where they can begin, and all around for the
 * nearest. Between a refusal and an admission that was sent after its answer one of them ends.
 */
export function alignedWindows(trace: Timeline, windowMs: number): readonly Placed[] {
  const placed = (phaseMs: number): Placed => ({
    phaseMs,
    demands: fixedAligned(trace, windowMs, phaseMs),
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

function byContradiction(one: Placed, other: Placed): number {
  return contradiction(one.demands) - contradiction(other.demands);
}

/** Where, from the first edge on, windows can end if one ends within each; absent: nowhere. */
function endsWithin(edges: readonly Interval[], windowMs: number): Interval | undefined {
  const [first] = edges;
  if (first === undefined) return undefined;
  let { fromMs, toMs } = first;
  for (const edge of edges) {
    // An edge as long as a window holds an end wherever they lie.
    if (edge.toMs - edge.fromMs >= windowMs) continue;
    const turns = Math.ceil((edge.fromMs - toMs) / windowMs);
    fromMs = Math.max(fromMs, edge.fromMs - turns * windowMs);
    toMs = Math.min(toMs, edge.toMs - turns * windowMs);
    if (fromMs > toMs) return undefined;
  }
  return { fromMs, toMs };
}

import type { LimiterKind, Take } from "../kind.ts";
import { LimitBounds } from "../limit-bounds.ts";
import { nearestCandidates } from "../nearest-candidates.ts";
import type { AskedPoints } from "../points.ts";
import { demandEpsilon, instantMs, modelEpsilon } from "../rounding.ts";
import { byWindow, phasesAllAround } from "../search.ts";
import type { Variant } from "../search.ts";
import type { CountedSpan, Timeline } from "../timeline.ts";

/** The window before counts in proportion to how much of it the sliding window still covers. */
export const slidingCounter: LimiterKind = {
  name: "sliding counter",
  reading: "sliding counter",
  start: ({ limit, windowMs, phaseMs }) => startSlidingCounter(limit, windowMs, phaseMs),
  looksBack: 2,
  limitsIn: (windows) => ({ least: windows, most: windows }),
  ...byWindow((trace, windowMs) => counters(trace, windowMs)),
};

function startSlidingCounter(limit: number, windowMs: number, phaseMs: number): Take {
  let window = Number.NEGATIVE_INFINITY;
  let before = 0;
  let used = 0;
  return (nowMs, count) => {
    const position = (nowMs - phaseMs) / windowMs;
    const current = Math.floor(position);
    if (current !== window) {
      before = current === window + 1 ? used : 0;
      used = 0;
    }
    window = current;
    const covered = 1 - (position - current);
    const room = Math.floor(limit - before * covered - used + modelEpsilon);
    const admitted = Math.max(0, Math.min(count, room));
    used += admitted;
    return admitted;
  };
}

interface Counter {
  readonly trace: Timeline;
  readonly windowMs: number;
  /** Whether the fraction of a request is cut off. */
  readonly cutsOff: boolean;
}

/**
 * Counters that slide, with windows that begin anywhere: those that explain everything, and the
 * nearest. Their phase may be known to parts of a millisecond.
 */
function counters(trace: Timeline, windowMs: number): readonly Variant[] {
  const spans = spansThatMayFit(trace, windowMs);
  return [false, true].flatMap((cutsOff) => {
    const counter = { trace, windowMs, cutsOff };
    return nearestOf(counter).concat(spans.flatMap((span) => within(counter, span)));
  });
}

const nearestTried = 4;

function nearestOf(counter: Counter): Variant[] {
  return nearestCandidates(phasesAllAround(counter.windowMs), {
    roughly: (phaseMs) => demandsOf(counter, phaseMs, counter.trace.outline),
    fully: (phaseMs) => demandsOf(counter, phaseMs, counter.trace),
    count: nearestTried,
  }).map(({ candidate: phaseMs, demands }) => ({ phaseMs, demands }));
}

function demandsOf(
  { trace, ...window }: Counter,
  phaseMs: number,
  asked: AskedPoints,
): LimitBounds {
  return demandedBy(trace, { ...window, phaseMs }, asked);
}

const partOfBurstMs = 2;
const partsOfBurstMax = 128;

/** The phases with which a window begins as a step of the trace does, or ends, or within a burst. */
function endsOfSteps({ steps }: Timeline, windowMs: number): readonly number[] {
  const all = steps.flatMap(({ fromMs, toMs }) => {
    const lengthMs = toMs - fromMs;
    const parts = Math.max(1, Math.min(partsOfBurstMax, Math.ceil(lengthMs / partOfBurstMs)));
    return Array.from({ length: parts + 1 }, (_, at) => fromMs + (lengthMs * at) / parts);
  });
  return all.map((ms) => ms % windowMs).toSorted((one, other) => one - other);
}

/**
 * Between two phases the later windows begin, the more of the one before still counts, and the greater
 * are the least and the most that the trace demands: where the earlier demands too much by a rough look
 * nothing between them fits. To cut fractions off makes a difference of one.
 */
function spansThatMayFit(trace: Timeline, windowMs: number): readonly CountedSpan[] {
  const counter = { trace, windowMs, cutsOff: false };
  const phases = endsOfSteps(trace, windowMs);
  const roughly = phases.map((phaseMs) => demandsOf(counter, phaseMs, trace.outline));
  return phases.flatMap((fromMs, at) => {
    const toMs = phases[at + 1] ?? (phases[0] ?? 0) + windowMs;
    const { most = 0 } = roughly[at + 1] ?? roughly[0] ?? {};
    return (roughly[at]?.least ?? 0) <= most + 1 ? [{ fromMs, toMs }] : [];
  });
}

/** Between two phases so many limits are tried. */
const limitsBetween = 8;

/** For each limit that may fit between two phases, the phase at which it does is halved in on. */
function within(counter: Counter, { fromMs, toMs }: CountedSpan): readonly Variant[] {
  const { trace } = counter;
  const { least } = demandsOf(counter, fromMs, trace);
  const { most } = demandsOf(counter, toMs, trace);
  return limitsFrom(least, most).flatMap((limit) => {
    const found = halvedIn({ fromMs, toMs, limit }, (ms) => demandsOf(counter, ms, trace));
    return found === undefined ? [] : [found];
  });
}

function limitsFrom(least: number, most: number): readonly number[] {
  const count = Math.min(limitsBetween, most - least + 1);
  if (count < 1) return [];
  const step = Number.isFinite(most) && count > 1 ? (most - least) / (count - 1) : 1;
  return Array.from({ length: count }, (_, at) => Math.round(least + at * step));
}

interface Halving extends CountedSpan {
  readonly limit: number;
}

const halvings = 14;

function halvedIn(
  { fromMs, toMs, limit }: Halving,
  demandsAt: (phaseMs: number) => LimitBounds,
): Variant | undefined {
  let [low, high] = [fromMs, toMs];
  for (let step = 0; step < halvings; step += 1) {
    const phaseMs = (low + high) / 2;
    const demands = demandsAt(phaseMs);
    if (demands.least <= limit && limit <= demands.most) return { phaseMs, demands };
    if (demands.least > limit) high = phaseMs;
    else low = phaseMs;
  }
  return undefined;
}

interface CounterWindows {
  readonly windowMs: number;
  readonly phaseMs: number;
  /** Whether the fraction of a request is cut off. */
  readonly cutsOff: boolean;
}

function demandedBy(
  { admitted }: Timeline,
  { windowMs, phaseMs, cutsOff }: CounterWindows,
  { admittedPoints, refusedPoints }: AskedPoints,
): LimitBounds {
  const demands = new LimitBounds();
  const startOf = (ms: number): number =>
    phaseMs + Math.floor((ms - phaseMs) / windowMs) * windowMs;
  const covered = (ms: number, startMs: number): number => 1 - (ms - startMs) / windowMs;
  for (const { answeredMs, step } of admittedPoints) {
    const startMs = startOf(answeredMs);
    const now = admitted.surely(startMs, answeredMs);
    // Whoever came as the window began counts as one of the window before, which is less.
    const before = admitted.surely(startMs - windowMs, answeredMs) - now;
    const rest = before * covered(answeredMs, startMs) - (before === 0 ? 0 : demandEpsilon);
    demands.atLeast(step, now + Math.max(0, cutsOff ? Math.floor(rest) : Math.ceil(rest)));
  }
  const mostAt = (fromMs: number, countFrom: (ms: number) => number): number => {
    const startMs = startOf(fromMs);
    const now = countFrom(startMs);
    // Whoever came as the window began counts as one of this window, which is more.
    const before = countFrom(startMs - windowMs) - now;
    const rest = before * covered(fromMs, startMs) + (before === 0 ? 0 : demandEpsilon);
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

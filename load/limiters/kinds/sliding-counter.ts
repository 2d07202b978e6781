import type { LimiterKind, Admit } from "../kind.ts";
import { LimitBounds } from "../limit-bounds.ts";
import { nearestCandidates } from "../nearest-candidates.ts";
import type { ComparedRequests, ComparedRequest } from "../compared-requests.ts";
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

function startSlidingCounter(limit: number, windowMs: number, phaseMs: number): Admit {
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
 * Sliding counters with windows of any phase: those that explain everything, and the nearest.
 * Their phase may be known to fractions of a millisecond.
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
  asked: ComparedRequests,
): LimitBounds {
  return demandedBy(trace, { ...window, phaseMs }, asked);
}

const partOfBurstMs = 2;
const partsOfBurstMax = 128;

/** The phases with which a window begins at the start or the end of a step of the trace, or within a burst. */
function endsOfSteps({ steps }: Timeline, windowMs: number): readonly number[] {
  const all = steps.flatMap(({ fromMs, toMs }) => {
    const lengthMs = toMs - fromMs;
    const parts = Math.max(1, Math.min(partsOfBurstMax, Math.ceil(lengthMs / partOfBurstMs)));
    return Array.from({ length: parts + 1 }, (_, at) => fromMs + (lengthMs * at) / parts);
  });
  return all.map((ms) => ms % windowMs).toSorted((one, other) => one - other);
}

/**
 * Between two such phases, the later windows begin, the more of the window before still counts, and the greater are
 * the least and the most that the trace demands. Nothing between them fits if the earlier demands more than the later
 * allows, by a rough look. Cutting fractions off makes a difference of one.
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

/** How many limits are tried between two phases. */
const limitsBetween = 8;

/** Searches by bisection, for each limit that may fit between two phases, the phase at which it does. */
function within(counter: Counter, { fromMs, toMs }: CountedSpan): readonly Variant[] {
  const { trace } = counter;
  const most = mostDemanded(counter, toMs);
  const least = leastDemanded(counter, fromMs, most);
  return limitsFrom(least, most).flatMap((limit) => {
    const found = halvedIn({ fromMs, toMs, limit }, (ms) => demandsOf(counter, ms, trace));
    return found === undefined ? [] : [found];
  });
}

/** The greatest limit that the refused requests allow. */
function mostDemanded({ trace, ...window }: Counter, phaseMs: number): number {
  const { most } = demandsAtRequests(trace, { ...window, phaseMs });
  return trace.comparedRefused.reduce((sum, compared) => Math.min(sum, most(compared)), Infinity);
}

/** The least limit that the admitted requests demand; stops at some of it that is more than `enough`. */
function leastDemanded({ trace, ...window }: Counter, phaseMs: number, enough: number): number {
  const { least } = demandsAtRequests(trace, { ...window, phaseMs });
  let demanded = 1;
  for (const compared of trace.comparedAdmitted) {
    demanded = Math.max(demanded, least(compared));
    if (demanded > enough) break;
  }
  return demanded;
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
  trace: Timeline,
  windows: CounterWindows,
  { comparedAdmitted, comparedRefused }: ComparedRequests,
): LimitBounds {
  const demands = new LimitBounds();
  const { least, most } = demandsAtRequests(trace, windows);
  for (const compared of comparedAdmitted) demands.atLeast(compared.step, least(compared));
  for (const compared of comparedRefused) demands.atMost(compared.step, most(compared));
  return demands;
}

/** A window, and how many were counted before it and before the window that precedes it. */
interface CountedWindow {
  readonly startMs: number;
  readonly before: number;
  readonly beforeEarlier: number;
}

/** What single requests demand of the limit. */
interface DemandsAtRequests {
  readonly least: (compared: ComparedRequest) => number;
  readonly most: (compared: ComparedRequest) => number;
}

function demandsAtRequests(
  { admitted }: Timeline,
  { windowMs, phaseMs, cutsOff }: CounterWindows,
): DemandsAtRequests {
  const windowsCounting = (
    countBefore: (ms: number) => number,
  ): ((ms: number) => CountedWindow) => {
    let window: CountedWindow | undefined;
    // Requests come in the order of their answers: most are of the same window as the one before.
    return (ms) => {
      const startMs = startOf(ms);
      if (window?.startMs !== startMs) {
        const beforeEarlier = countBefore(startMs - windowMs);
        window = { startMs, before: countBefore(startMs), beforeEarlier };
      }
      return window;
    };
  };
  const startOf = (ms: number): number =>
    phaseMs + Math.floor((ms - phaseMs) / windowMs) * windowMs;
  const covered = (ms: number, startMs: number): number => 1 - (ms - startMs) / windowMs;
  const whole = (rest: number): number => (cutsOff ? Math.floor(rest) : Math.ceil(rest));
  const sentWindow = windowsCounting((ms) => admitted.sentEarlierThan(ms));
  const answeredWindow = windowsCounting((ms) => admitted.answeredEarlierThan(ms));

  const least = ({ answeredMs, answeredUpTo }: ComparedRequest): number => {
    const window = sentWindow(answeredMs);
    const now = Math.max(0, answeredUpTo - window.before);
    // A request that came as the window began is counted in the window before, which gives less.
    const before = Math.max(0, answeredUpTo - window.beforeEarlier) - now;
    const rest = before * covered(answeredMs, window.startMs) - (before === 0 ? 0 : demandEpsilon);
    return now + Math.max(0, whole(rest));
  };
  const mostAt = (fromMs: number, sent: number): number => {
    const window = answeredWindow(fromMs);
    const now = Math.max(0, sent - window.before);
    // A request that came as the window began is counted in this window, which gives more.
    const before = Math.max(0, sent - window.beforeEarlier) - now;
    const rest = before * covered(fromMs, window.startMs) + (before === 0 ? 0 : demandEpsilon);
    return now + whole(rest);
  };
  const most = ({ sentMs, answeredMs, sentBefore }: ComparedRequest): number => {
    const lastStartMs = startOf(answeredMs);
    const last = mostAt(Math.max(sentMs, lastStartMs), sentBefore);
    // If a window ended meanwhile, that window or the next may have refused the request.
    if (sentMs >= lastStartMs) return last;
    return Math.max(last, mostAt(sentMs, admitted.sentUpTo(lastStartMs - instantMs)));
  };
  return { least, most };
}

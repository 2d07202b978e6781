import type { IntervalCount } from "../interval-count.ts";
import type { Admit, LimiterKind, LimiterNumbers } from "../kind.ts";
import { LimitBounds } from "../limit-bounds.ts";
import { nearestCandidates } from "../nearest-candidates.ts";
import type { ComparedRequests, ComparedRequest } from "../compared-requests.ts";
import { demandEpsilon, instantMs, modelEpsilon } from "../rounding.ts";
import { byDeclaredWindow, byWindow, phasesAllAround } from "../search.ts";
import type { Variant } from "../search.ts";
import type { CountedSpan, Timeline } from "../timeline.ts";

/** The window before counts in proportion to how much of it the sliding window still covers. */
export const slidingCounter: LimiterKind = {
  name: "sliding counter",
  reading: "sliding counter",
  start: (numbers) => startSlidingCounter(numbers, false),
  looksBack: 2,
  limitsIn: (windows) => ({ least: windows, most: windows }),
  ...byWindow((trace, windowMs) => slidingCounters(trace, windowMs, false)),
};

/**
 * A sliding counter that counts each request, refused or not. Once it has refused many it refuses nearly all that
 * follows, which windows of many lengths would explain.
 */
export const slidingCounterOfAll: LimiterKind = {
  name: "sliding counter counting refusals",
  reading: "sliding counter",
  start: (numbers) => startSlidingCounter(numbers, true),
  unrefused: slidingCounter,
  looksBack: 2,
  ...byDeclaredWindow((trace, windowMs) => slidingCounters(trace, windowMs, true)),
};

/** A limiter that counts the requests of a window, the refused ones among them where `countsRefusals` is true. */
function startSlidingCounter(
  { limit, windowMs, phaseMs }: Required<LimiterNumbers>,
  countsRefusals: boolean,
): Admit {
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
    used += countsRefusals ? count : admitted;
    return admitted;
  };
}

interface Counter {
  readonly trace: Timeline;
  /** The requests that are compared, all of them and a few. */
  readonly compared: ComparedRequests;
  readonly outline: ComparedRequests;
  readonly windowMs: number;
  readonly countsRefusals: boolean;
  /** Whether the fraction of a request is cut off. */
  readonly cutsOff: boolean;
}

/**
 * Sliding counters with windows of any phase: those that explain everything, and the nearest.
 * Their phase may be known to fractions of a millisecond.
 */
function slidingCounters(
  trace: Timeline,
  windowMs: number,
  countsRefusals: boolean,
): readonly Variant[] {
  const whole = { trace, ...comparedBy(trace, countsRefusals), windowMs, countsRefusals };
  const spans = spansThatMayFit({ ...whole, cutsOff: false });
  return [false, true].flatMap((cutsOff) => {
    const counter = { ...whole, cutsOff };
    return nearestOf(counter).concat(spans.flatMap((span) => within(counter, span)));
  });
}

/** Where refusals count, only the first of a step is known to come before the others. */
function comparedBy(
  trace: Timeline,
  countsRefusals: boolean,
): { readonly compared: ComparedRequests; readonly outline: ComparedRequests } {
  if (!countsRefusals) return { compared: trace, outline: trace.outline };
  const comparedRefused = trace.firstRefused.map((request) => ({
    ...request,
    answeredUpTo: trace.admitted.answeredUpTo(request.answeredMs),
    sentBefore: trace.admitted.sentBefore(request.answeredMs),
  }));
  return {
    compared: { comparedAdmitted: trace.comparedAdmitted, comparedRefused },
    outline: { comparedAdmitted: trace.outline.comparedAdmitted, comparedRefused },
  };
}

const nearestTried = 4;

function nearestOf(counter: Counter): Variant[] {
  return nearestCandidates(phasesAllAround(counter.windowMs), {
    roughly: (phaseMs) => demandsOf(counter, phaseMs, counter.outline),
    fully: (phaseMs) => demandsOf(counter, phaseMs, counter.compared),
    count: nearestTried,
  }).map(({ candidate: phaseMs, demands }) => ({ phaseMs, demands }));
}

function demandsOf(counter: Counter, phaseMs: number, asked: ComparedRequests): LimitBounds {
  const demands = new LimitBounds();
  const { least, most } = demandsAtRequests(counter, phaseMs);
  for (const compared of asked.comparedAdmitted) demands.atLeast(compared.step, least(compared));
  for (const compared of asked.comparedRefused) demands.atMost(compared.step, most(compared));
  return demands;
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
function spansThatMayFit(counter: Counter): readonly CountedSpan[] {
  const { trace, windowMs } = counter;
  const phases = endsOfSteps(trace, windowMs);
  const roughly = phases.map((phaseMs) => demandsOf(counter, phaseMs, counter.outline));
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
  const most = mostDemanded(counter, toMs);
  const least = leastDemanded(counter, fromMs, most);
  return limitsFrom(least, most).flatMap((limit) => {
    const found = halvedIn({ fromMs, toMs, limit }, (ms) =>
      demandsOf(counter, ms, counter.compared),
    );
    return found === undefined ? [] : [found];
  });
}

/** The greatest limit that the refused requests allow. */
function mostDemanded(counter: Counter, phaseMs: number): number {
  const { most } = demandsAtRequests(counter, phaseMs);
  const { comparedRefused } = counter.compared;
  return comparedRefused.reduce((sum, compared) => Math.min(sum, most(compared)), Infinity);
}

/** The least limit that the admitted requests demand; stops at some of it that is more than `enough`. */
function leastDemanded(counter: Counter, phaseMs: number, enough: number): number {
  const { least } = demandsAtRequests(counter, phaseMs);
  let demanded = 1;
  for (const compared of counter.compared.comparedAdmitted) {
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

/** How many requests were counted by some moment: the admitted ones and, where they count, the refused ones. */
type Counts = readonly number[];

/** A window, and how many were counted before it and before the window that precedes it. */
interface CountedWindow {
  readonly startMs: number;
  readonly before: Counts;
  readonly beforeEarlier: Counts;
}

/** How many were counted in a window by some moment, and in the window before it. */
function countIn(
  { before, beforeEarlier }: CountedWindow,
  byThen: Counts,
): { readonly now: number; readonly earlier: number } {
  const since = (start: Counts): number =>
    byThen.reduce((sum, count, at) => sum + Math.max(0, count - (start[at] ?? 0)), 0);
  const now = since(before);
  return { now, earlier: since(beforeEarlier) - now };
}

/** What single requests demand of the limit. */
interface DemandsAtRequests {
  readonly least: (compared: ComparedRequest) => number;
  readonly most: (compared: ComparedRequest) => number;
}

function demandsAtRequests(
  { trace, countsRefusals, windowMs, cutsOff }: Counter,
  phaseMs: number,
): DemandsAtRequests {
  const { admitted, refused } = trace;
  const counted = countsRefusals ? [admitted, refused] : [admitted];
  const windowsCounting = (
    countBefore: (requests: IntervalCount, ms: number) => number,
  ): ((ms: number) => CountedWindow) => {
    const countsBefore = (ms: number): Counts =>
      counted.map((requests) => countBefore(requests, ms));
    let window: CountedWindow | undefined;
    // Requests come in the order of their answers: most are of the same window as the one before.
    return (ms) => {
      const startMs = startOf(ms);
      if (window?.startMs !== startMs) {
        const beforeEarlier = countsBefore(startMs - windowMs);
        window = { startMs, before: countsBefore(startMs), beforeEarlier };
      }
      return window;
    };
  };
  const startOf = (ms: number): number =>
    phaseMs + Math.floor((ms - phaseMs) / windowMs) * windowMs;
  const covered = (ms: number, startMs: number): number => 1 - (ms - startMs) / windowMs;
  const whole = (rest: number): number => (cutsOff ? Math.floor(rest) : Math.ceil(rest));
  const sentWindow = windowsCounting((requests, ms) => requests.sentEarlierThan(ms));
  const answeredWindow = windowsCounting((requests, ms) => requests.answeredEarlierThan(ms));

  const least = ({ sentMs, answeredMs, answeredUpTo }: ComparedRequest): number => {
    const window = sentWindow(answeredMs);
    // A request that came as the window began is counted in the window before, which gives less.
    const byThen = [answeredUpTo, refused.answeredUpTo(sentMs - instantMs)];
    const { now, earlier } = countIn(window, byThen.slice(0, counted.length));
    const rest =
      earlier * covered(answeredMs, window.startMs) - (earlier === 0 ? 0 : demandEpsilon);
    return now + Math.max(0, whole(rest));
  };
  const mostAt = (fromMs: number, byThen: Counts): number => {
    const window = answeredWindow(fromMs);
    // A request that came as the window began is counted in this window, which gives more.
    const { now, earlier } = countIn(window, byThen.slice(0, counted.length));
    const rest = earlier * covered(fromMs, window.startMs) + (earlier === 0 ? 0 : demandEpsilon);
    return now + whole(rest);
  };
  const most = ({ sentMs, answeredMs, sentBefore }: ComparedRequest): number => {
    const lastStartMs = startOf(answeredMs);
    const refusedBefore = refused.sentUpTo(sentMs - instantMs);
    const last = mostAt(Math.max(sentMs, lastStartMs), [sentBefore, refusedBefore]);
    // If a window ended meanwhile, that window or the next may have refused the request.
    if (sentMs >= lastStartMs) return last;
    const admittedBefore = admitted.sentUpTo(lastStartMs - instantMs);
    return Math.max(last, mostAt(sentMs, [admittedBefore, refusedBefore]));
  };
  return { least, most };
}

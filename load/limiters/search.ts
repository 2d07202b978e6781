import { distance, leastBy, rangeOf } from "./distance.ts";
import type { Declared, Found, LimiterKind } from "./kind.ts";
import type { LimitBounds } from "./limit-bounds.ts";
import { contradiction } from "./nearest-candidates.ts";
import type { Timeline } from "./timeline.ts";

/** One way in which limiters of a kind with windows of one length can lie on the trace's clock. */
export interface Variant {
  readonly demands: LimitBounds;
  readonly phaseMs?: number;
  readonly parts?: number;
}

/** All variants of a kind for windows of one length. */
export type Variants = (trace: Timeline, windowMs: number) => readonly Variant[];

/**
 * The searches of a kind whose limiters differ in the length of their window and, where aligned, in its phase.
 * `search` tries round parts of the declared window only, `searchOthers` any length.
 */
export function byWindow(
  variants: Variants,
): Required<Pick<LimiterKind, "search" | "searchOthers">> {
  return {
    search: (trace, declared) => search(variants, trace, { declared, shares: roundShares }),
    searchOthers: (trace, declared) => search(variants, trace, { declared, shares: otherShares }),
  };
}

/** The search of a kind that with windows of other lengths than the declared one explains too much. */
export function byDeclaredWindow(variants: Variants): Pick<LimiterKind, "search"> {
  return { search: (trace, declared) => search(variants, trace, { declared, shares: [1] }) };
}

/** Tenths of the declared window, up to 2.1 windows: whole seconds for a window of 10 s. */
export const roundShares = Array.from({ length: 21 }, (_, index) => (index + 1) / 10);

/** Every hundredth, for limiters whose window is no round part of the declared one. */
const otherShares = Array.from({ length: 207 }, (_, index) => (index + 4) / 100);

interface Tried {
  readonly windowMs: number;
  /** By how much the demands contradict each other; 0 or less: not at all. */
  readonly contradiction: number;
  readonly best: Variant;
  readonly fitting: readonly Variant[];
}

type TryOut = (windowMs: number) => Tried;

/** The limiters that explain a trace, or the nearest where none does. */
function search(
  variants: Variants,
  trace: Timeline,
  { declared, shares }: { readonly declared: Declared; readonly shares: readonly number[] },
): Found {
  const tryOut: TryOut = (windowMs) => tried(variants(trace, windowMs), windowMs);
  const coarse = shares.map((share) => tryOut(share * declared.windowMs));
  const isCoarse = shares !== otherShares || coarse.some(isFitting);
  const all = isCoarse ? coarse : [...coarse, ...finer(coarse, tryOut)];
  const fits = all.filter(isFitting);
  if (fits.length > 0) return explainedBy(fits, tryOut, declared);
  const nearest = leastBy(all, (one) => one.contradiction);
  return described(nearest.best, nearest.windowMs, declared);
}

function isFitting({ fitting }: Tried): boolean {
  return fitting.length > 0;
}

function tried(variants: readonly Variant[], windowMs: number): Tried {
  const best = leastBy(variants, ({ demands }) => contradiction(demands));
  const fitting = variants.filter(({ demands }) => demands.isMet);
  return { windowMs, contradiction: contradiction(best.demands), best, fitting };
}

const placesRefined = 3;

/** Tries windows around those tried before that come nearest to explaining everything. */
function finer(coarse: readonly Tried[], tryOut: TryOut): readonly Tried[] {
  const stepMs = (coarse[1]?.windowMs ?? 0) - (coarse[0]?.windowMs ?? 0);
  return coarse
    .toSorted((one, other) => one.contradiction - other.contradiction)
    .slice(0, placesRefined)
    .flatMap(({ windowMs }) =>
      Array.from({ length: 19 }, (_, index) => tryOut(windowMs + ((index - 9) / 10) * stepMs)),
    );
}

function explainedBy(fits: readonly Tried[], tryOut: TryOut, declared: Declared): Found {
  const choices = fits.flatMap(({ fitting, windowMs }) =>
    fitting.map((variant) => described(variant, windowMs, declared)),
  );
  const nearest = leastBy(choices, (choice) => distance(choice, declared));
  const demands = fits.flatMap(({ fitting }) => fitting.map((variant) => variant.demands));
  const [shortestMs, longestMs] = rangeOf(fits.map(({ windowMs }) => windowMs));
  const bounds = {
    shortestMs: farthest(nearest.windowMs, -1, tryOut),
    longestMs: farthest(nearest.windowMs, 1, tryOut),
  };
  const explained = {
    limits: {
      least: Math.min(...demands.map(({ least }) => least)),
      most: Math.max(...demands.map(({ most }) => most)),
    },
    windows: { shortestMs, longestMs },
  };
  return { ...nearest, bounds, explained };
}

const halvings = 8;

/** The shortest (sign -1) or longest (sign 1) window that fits, within a tenth of one that does. */
function farthest(windowMs: number, sign: number, tryOut: TryOut): number {
  let insideMs = windowMs;
  let outsideMs = windowMs * (1 + 0.1 * sign);
  for (let step = 0; step < halvings; step += 1) {
    const middleMs = (insideMs + outsideMs) / 2;
    if (isFitting(tryOut(middleMs))) insideMs = middleMs;
    else outsideMs = middleMs;
  }
  return outsideMs;
}

function described(
  { demands, phaseMs, parts }: Variant,
  windowMs: number,
  declared: Declared,
): Found {
  const limit = demands.bestLimit(declared.limit);
  return {
    limit,
    windowMs,
    differences: demands.differences(limit),
    ...(phaseMs === undefined ? {} : { phaseMs }),
    ...(parts === undefined ? {} : { parts }),
  };
}

const phasesPerWindow = 32;

/** Phases all around a window, at equal distances. */
export function phasesAllAround(windowMs: number): readonly number[] {
  return Array.from({ length: phasesPerWindow }, (_, at) => (at * windowMs) / phasesPerWindow);
}

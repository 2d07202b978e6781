import { limiterKinds, startLimiter } from "./models.ts";
import type { LimiterKind, LimiterModel } from "./models.ts";
import { binsOf } from "./trace.ts";
import type { Bin, TracedRequest } from "./trace.ts";

/** A model and how many admissions it gets wrong, summed over the bins of the trace. */
export interface Fit {
  readonly model: LimiterModel;
  readonly differences: number;
}

export interface Identification {
  readonly best: Fit;
  /** The best fit of another kind. */
  readonly runnerUp: Fit | undefined;
  /** The windows with which the best model explains the trace as well; absent without a limit. */
  readonly window: { readonly shortestMs: number; readonly longestMs: number } | undefined;
}

export interface Declared {
  readonly limit: number;
  readonly windowMs: number;
}

/**
 * The limiter that explains a trace best: kind, limit and window together. Of models that explain it
 * alike, the one nearest to what is declared comes first, then the simpler kind.
 * @param kinds those to choose from.
 */
export function identify(
  requests: readonly TracedRequest[],
  declared: Declared,
  kinds: readonly LimiterKind[] = limiterKinds,
): Identification {
  const bins = binsOf(requests);
  if (bins.every(({ sent, admitted }) => sent === admitted)) {
    return { best: noneFits(bins), runnerUp: undefined, window: undefined };
  }
  const fits = kinds
    .map((kind) => bestOf(kind, bins, declared))
    .toSorted((one, other) => order(one, other, declared));
  const [best = noneFits(bins), runnerUp] = fits;
  return { best, runnerUp, window: windowBounds(best, bins) };
}

function noneFits(bins: readonly Bin[]): Fit {
  const model: LimiterModel = { kind: "none", limit: Infinity, windowMs: Infinity };
  return { model, differences: differencesOf(model, bins, Infinity) };
}

function bestOf(kind: LimiterKind, bins: readonly Bin[], declared: Declared): Fit {
  let best: Fit | undefined;
  const tryOut = (model: LimiterModel): void => {
    const differences = differencesOf(model, bins, best?.differences ?? Infinity);
    const fit = { model, differences };
    if (best === undefined || order(fit, best, declared) < 0) best = fit;
  };
  for (const model of candidates(kind, bins, declared)) tryOut(model);
  const coarse = best ?? noneFits(bins);
  for (const model of nearPhases(coarse)) tryOut(model);
  return best ?? coarse;
}

const phaseSteps = 40;

/** Phases between those of the grid, where the nearest of the grid leaves differences. */
function nearPhases({ model, differences }: Fit): readonly LimiterModel[] {
  const { phaseMs, windowMs } = model;
  if (phaseMs === undefined || differences === 0) return [];
  const stepMs = windowMs / phasesPerWindow / phaseSteps;
  return Array.from({ length: 2 * phaseSteps }, (_, index) => ({
    ...model,
    phaseMs: phaseMs + (index - phaseSteps) * stepMs,
  }));
}

function order(one: Fit, other: Fit, declared: Declared): number {
  return (
    one.differences - other.differences ||
    distance(one.model, declared) - distance(other.model, declared) ||
    limiterKinds.indexOf(one.model.kind) - limiterKinds.indexOf(other.model.kind)
  );
}

function distance({ limit, windowMs }: LimiterModel, declared: Declared): number {
  if (!Number.isFinite(limit)) return Infinity;
  return Math.abs(limit / declared.limit - 1) + Math.abs(windowMs / declared.windowMs - 1);
}

/** Stops counting at `enough`: a worse fit than one that is known is of no interest. */
function differencesOf(model: LimiterModel, bins: readonly Bin[], enough: number): number {
  const take = startLimiter(model);
  let differences = 0;
  for (const { atMs, sent, admitted } of bins) {
    differences += Math.abs(take(atMs, sent) - admitted);
    if (differences > enough) break;
  }
  return differences;
}

function candidates(
  kind: LimiterKind,
  bins: readonly Bin[],
  declared: Declared,
): readonly LimiterModel[] {
  if (kind === "none") return [{ kind, limit: Infinity, windowMs: Infinity }];
  const windows = windowsOf(declared);
  const limits = limitsOf(bins, declared);
  if (kind === "split windows") {
    const { limit, windowMs } = declared;
    return [2, 5, 10].flatMap((parts) =>
      withPhases({ kind, limit, windowMs, parts }, bins, windowMs / parts),
    );
  }
  if (kind === "counter per process") {
    return [2, 3, 4].flatMap((parts) => [{ kind, ...declared, parts }]);
  }
  const models = windows.flatMap((windowMs) =>
    limits.map((limit): LimiterModel => ({ kind, limit, windowMs })),
  );
  const isAligned = kind === "fixed aligned" || kind === "sliding counter";
  return isAligned ? models.flatMap((model) => withPhases(model, bins, model.windowMs)) : models;
}

/** What is declared, its neighbours, and what the largest bursts let through, each with its own. */
function limitsOf(bins: readonly Bin[], { limit, windowMs }: Declared): readonly number[] {
  const most = Math.max(...bins.map(({ admitted }) => admitted));
  const inWindows = bins.map(({ atMs }) => {
    const inside = bins.filter((bin) => bin.atMs >= atMs && bin.atMs < atMs + windowMs / 2);
    return inside.reduce((sum, { admitted }) => sum + admitted, 0);
  });
  const centres = [limit, most, Math.max(...inWindows)];
  const around = centres.flatMap((centre) => [centre - 1, centre, centre + 1]);
  return [...new Set(around)].filter((value) => value > 0);
}

/** Every tenth of the declared window up to twice its length. */
function windowsOf({ windowMs }: Declared): readonly number[] {
  return Array.from({ length: 20 }, (_, index) => ((index + 1) * windowMs) / 10);
}

const phasesPerWindow = 50;

function withPhases(
  model: LimiterModel,
  bins: readonly Bin[],
  windowMs: number,
): readonly LimiterModel[] {
  const grid = Array.from(
    { length: phasesPerWindow },
    (_, index) => (index * windowMs) / phasesPerWindow,
  );
  // An edge lies between a refusal and the admission after it.
  const seen = bins.flatMap((bin, at) => {
    const before = bins[at - 1];
    if (before === undefined || before.admitted === before.sent || bin.admitted === 0) return [];
    return [bin.atMs % windowMs, ((before.atMs + bin.atMs) / 2) % windowMs];
  });
  return Array.from(new Set([...grid, ...seen]), (phaseMs) => ({ ...model, phaseMs }));
}

/** How far the window of a model can be shorter or longer before it explains the trace less well. */
function windowBounds({ model, differences }: Fit, bins: readonly Bin[]): Identification["window"] {
  const { windowMs } = model;
  if (!Number.isFinite(windowMs)) return undefined;
  const fitsWith = (changeMs: number): boolean =>
    differencesOf({ ...model, windowMs: windowMs + changeMs }, bins, differences) <= differences;
  const farthest = (sign: number): number => {
    let fitsAtMs = 0;
    let failsAtMs = windowMs / 2;
    while (failsAtMs - fitsAtMs > 0.25) {
      const middleMs = (fitsAtMs + failsAtMs) / 2;
      if (fitsWith(sign * middleMs)) fitsAtMs = middleMs;
      else failsAtMs = middleMs;
    }
    return windowMs + sign * fitsAtMs;
  };
  return { shortestMs: farthest(-1), longestMs: farthest(1) };
}

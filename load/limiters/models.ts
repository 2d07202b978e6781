import type { LimiterKind } from "./kinds.ts";

export type { LimiterKind } from "./kinds.ts";

/** A limiter as a pure model, told apart by its numbers. */
export interface LimiterModel {
  readonly kind: LimiterKind;
  /** Requests per window; infinite for `none`. */
  readonly limit: number;
  readonly windowMs: number;
  /** Where windows that are aligned begin, on the trace's clock. */
  readonly phaseMs?: number;
  /** How many parts a window is split into, or how many processes count each for itself. */
  readonly parts?: number;
}

/** Takes `count` requests at one moment and answers how many of them are admitted. */
type Take = (nowMs: number, count: number) => number;

/** Rounding must not cost a limiter of fractions one whole request. */
const epsilon = 1e-9;

const starters: Readonly<Record<LimiterKind, (model: Required<LimiterModel>) => Take>> = {
  "fixed from first request": ({ limit, windowMs }) => fixedFromFirst(limit, windowMs),
  "fixed aligned": ({ limit, windowMs, phaseMs }) => fixedAligned(limit, windowMs, phaseMs),
  "split windows": ({ limit, windowMs, phaseMs, parts }) =>
    fixedAligned(limit / parts, windowMs / parts, phaseMs),
  "counter per process": ({ limit, windowMs, parts }) => perProcess(limit, windowMs, parts),
  "sliding log": ({ limit, windowMs }) => slidingLog({ limit, windowMs, countsRefusals: false }),
  "sliding log counting refusals": ({ limit, windowMs }) =>
    slidingLog({ limit, windowMs, countsRefusals: true }),
  "sliding counter": ({ limit, windowMs, phaseMs }) => slidingCounter(limit, windowMs, phaseMs),
  "token bucket": ({ limit, windowMs }) => tokenBucket(limit, windowMs),
  "bucket with its own rate": ({ limit, windowMs }) => tokenBucket(limit, windowMs),
  none: () => (_nowMs, count) => count,
};

/** The limiter of a model, with nothing counted yet. Moments must not step back. */
export function startLimiter(model: LimiterModel): Take {
  return starters[model.kind]({ phaseMs: 0, parts: 1, ...model });
}

function fixedFromFirst(limit: number, windowMs: number): Take {
  let openedMs = Number.NEGATIVE_INFINITY;
  let used = 0;
  return (nowMs, count) => {
    if (nowMs >= openedMs + windowMs) {
      openedMs = nowMs;
      used = 0;
    }
    const admitted = Math.max(0, Math.min(count, limit - used));
    used += admitted;
    return admitted;
  };
}

function fixedAligned(limit: number, windowMs: number, phaseMs: number): Take {
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

/** Requests go to the processes in turn. */
function perProcess(limit: number, windowMs: number, processes: number): Take {
  const takes = Array.from({ length: processes }, () => fixedFromFirst(limit, windowMs));
  let next = 0;
  return (nowMs, count) => {
    let admitted = 0;
    for (let sent = 0; sent < count; sent += 1) {
      admitted += takes[next]?.(nowMs, 1) ?? 0;
      next = (next + 1) % processes;
    }
    return admitted;
  };
}

interface LogOptions {
  readonly limit: number;
  readonly windowMs: number;
  readonly countsRefusals: boolean;
}

function slidingLog({ limit, windowMs, countsRefusals }: LogOptions): Take {
  const log: { readonly atMs: number; readonly count: number }[] = [];
  let used = 0;
  return (nowMs, count) => {
    while ((log[0]?.atMs ?? Number.POSITIVE_INFINITY) <= nowMs - windowMs) {
      used -= log.shift()?.count ?? 0;
    }
    const admitted = Math.max(0, Math.min(count, limit - used));
    const counted = countsRefusals ? count : admitted;
    used += counted;
    log.push({ atMs: nowMs, count: counted });
    return admitted;
  };
}

function slidingCounter(limit: number, windowMs: number, phaseMs: number): Take {
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
    const room = Math.floor(limit - before * covered - used + epsilon);
    const admitted = Math.max(0, Math.min(count, room));
    used += admitted;
    return admitted;
  };
}

/** GCRA behaves the same from outside. */
function tokenBucket(limit: number, windowMs: number): Take {
  let tokens = limit;
  let filledMs: number | undefined;
  return (nowMs, count) => {
    tokens = Math.min(limit, tokens + ((nowMs - (filledMs ?? nowMs)) * limit) / windowMs);
    filledMs = nowMs;
    const admitted = Math.min(count, Math.floor(tokens + epsilon));
    tokens -= admitted;
    return admitted;
  };
}

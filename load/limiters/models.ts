/** The ways of counting requests that a trace is compared with. */
export const limiterKinds = [
  "fixed from first request",
  "fixed aligned",
  "sliding log",
  "sliding log counting refusals",
  "sliding counter",
  "token bucket",
  "split windows",
  "counter per process",
  "none",
] as const;
export type LimiterKind = (typeof limiterKinds)[number];

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

/** The limiter of a model, with nothing counted yet. Moments must not step back. */
export function startLimiter(model: LimiterModel): Take {
  const { limit, windowMs, phaseMs = 0, parts = 1 } = model;
  switch (model.kind) {
    case "fixed from first request":
      return fixedFromFirst(limit, windowMs);
    case "fixed aligned":
      return fixedAligned(limit, windowMs, phaseMs);
    case "split windows":
      return fixedAligned(limit / parts, windowMs / parts, phaseMs);
    case "counter per process":
      return perProcess(limit, windowMs, parts);
    case "sliding log":
      return slidingLog({ limit, windowMs, countsRefusals: false });
    case "sliding log counting refusals":
      return slidingLog({ limit, windowMs, countsRefusals: true });
    case "sliding counter":
      return slidingCounter(limit, windowMs, phaseMs);
    case "token bucket":
      return tokenBucket(limit, windowMs);
    case "none":
      return (_nowMs, count) => count;
  }
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

/** Decides one request at one moment; moments never step back. */
export type Decide = (nowMs: number) => boolean;

export interface Numbers {
  readonly limit: number;
  readonly windowMs: number;
  /** Where aligned windows begin. */
  readonly phaseMs?: number;
}

/**
 * Limiters that are written independently of the models that judge them: they decide each request by
 * itself, and follow the definition of each rule.
 */
export const rules: Readonly<Record<string, (numbers: Numbers) => Decide>> = {
  "fixed aligned": ({ limit, windowMs, phaseMs = 0 }) => {
    const counts = new Map<number, number>();
    return (nowMs) => {
      const window = Math.floor((nowMs - phaseMs) / windowMs);
      const count = counts.get(window) ?? 0;
      if (count >= limit) return false;
      counts.set(window, count + 1);
      return true;
    };
  },
  "fixed from first request": ({ limit, windowMs }) => {
    let openedMs = -Infinity;
    let count = 0;
    return (nowMs) => {
      if (nowMs - openedMs >= windowMs) {
        openedMs = nowMs;
        count = 0;
      }
      count += 1;
      return count <= limit;
    };
  },
  "sliding log": ({ limit, windowMs }) => log(limit, windowMs, false),
  "sliding log counting refusals": ({ limit, windowMs }) => log(limit, windowMs, true),
  "sliding counter": (numbers) => counter(numbers, false),
  "sliding counter counting refusals": (numbers) => counter(numbers, true),
  /** GCRA by its theoretical arrival time. */
  "token bucket": ({ limit, windowMs }) => gcra(limit, windowMs / limit),
  /** As nginx does it: a rate, and a burst that does not depend on it. */
  "bucket with its own rate": ({ limit, windowMs }) => gcra(Math.ceil(limit / 5), windowMs / limit),
  "split windows": ({ limit, windowMs, phaseMs = 0 }) => {
    const parts = 10;
    const one = rules["fixed aligned"]?.({
      limit: Math.ceil(limit / parts),
      windowMs: windowMs / parts,
      phaseMs,
    });
    return (nowMs) => one?.(nowMs) === true;
  },
  /** Two processes that take turns. */
  "counter per process": (numbers) => {
    const both = [0, 1].map(() => rules["fixed from first request"]?.(numbers));
    let turn = 0;
    return (nowMs) => both[(turn += 1) % 2]?.(nowMs) === true;
  },
  none: () => () => true,
};

function log(limit: number, windowMs: number, countsRefusals: boolean): Decide {
  const past: number[] = [];
  return (nowMs) => {
    while (past.length > 0 && nowMs - (past[0] ?? nowMs) >= windowMs) past.shift();
    const isAdmitted = past.length < limit;
    if (isAdmitted || countsRefusals) past.push(nowMs);
    return isAdmitted;
  };
}

function counter({ limit, windowMs, phaseMs = 0 }: Numbers, countsRefusals: boolean): Decide {
  const counts = new Map<number, number>();
  return (nowMs) => {
    const window = Math.floor((nowMs - phaseMs) / windowMs);
    const into = (nowMs - phaseMs) / windowMs - window;
    const now = counts.get(window) ?? 0;
    const before = (counts.get(window - 1) ?? 0) * (1 - into);
    const isAdmitted = now + 1 + before <= limit;
    if (isAdmitted || countsRefusals) counts.set(window, now + 1);
    return isAdmitted;
  };
}

function gcra(capacity: number, everyMs: number): Decide {
  let arrivalMs = -Infinity;
  return (nowMs) => {
    const dueMs = Math.max(arrivalMs, nowMs);
    if (dueMs - nowMs > (capacity - 1) * everyMs + 1e-6) return false;
    arrivalMs = dueMs + everyMs;
    return true;
  };
}

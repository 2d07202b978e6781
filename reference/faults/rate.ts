import { tiers, windowMs } from "../../openapi/index.ts";
import type { RequirementId, Tier } from "../../openapi/index.ts";
import type { LimitScope } from "../behaviour/limits.ts";
import type { Fault } from "../fault.ts";
import { FixedAligned, FixedFromFirst, SlidingLog, TokenBucket } from "../limiters.ts";
import type { Limiter } from "../limiters.ts";

/** One limit is another number. */
function limitFault({ operation, rate, limit }: Tier, difference: number): Fault {
  const how = difference > 0 ? "over" : "short";
  return {
    name: `rate/${operation}-one-${how}`,
    breaks: [rate],
    describe: `The limit of ${operation} is ${String(limit + difference)}.`,
    change: ({ limits }) => ({
      limits: {
        requestsPerWindow: (each) =>
          limits.requestsPerWindow(each) + (each === operation ? difference : 0),
      },
    }),
  };
}

/** An operation whose requests are counted by nobody. */
function unlimited({ operation, rate }: Tier): Fault {
  return {
    name: `rate/${operation}-not-limited`,
    breaks: [rate],
    describe: `Requests of ${operation} are not counted.`,
    change: ({ limits }) => ({
      limits: { isCounted: (each) => each !== operation && limits.isCounted(each) },
    }),
  };
}

interface LimiterFault {
  readonly name: string;
  readonly breaks: readonly RequirementId[];
  readonly describe: string;
  readonly limiterOf: () => (scope: LimitScope) => Limiter;
}

function limiterFault({ name, breaks, describe, limiterOf }: LimiterFault): Fault {
  return { name, breaks, describe, change: () => ({ limits: { limiterOf: limiterOf() } }) };
}

/** Each kind of window, with another length than the stated one. */
const lengths = [9_000, 11_000, 20_000].flatMap((ms) => {
  const seconds = String(ms / 1_000);
  const kinds: readonly (readonly [string, () => Limiter])[] = [
    ["fixed", () => new FixedFromFirst(ms)],
    ["aligned", () => new FixedAligned(ms)],
    ["log", () => new SlidingLog(ms)],
    ["bucket", () => new TokenBucket(ms)],
  ];
  return kinds.map(([kind, make]) =>
    limiterFault({
      name: `rate/window-of-${seconds}s-${kind}`,
      breaks: ["RATE-09"],
      describe: `The window (${kind}) is ${seconds} seconds long.`,
      limiterOf: () => make,
    }),
  );
});

/** Once refused, it refuses until two windows have passed without a request. */
class Sulking implements Limiter {
  readonly #window = new FixedFromFirst(windowMs);
  #refusedAtMs = Number.NEGATIVE_INFINITY;

  take(nowMs: number, limit: number): boolean {
    const isSulking = nowMs < this.#refusedAtMs + 3 * windowMs;
    if (!isSulking && this.#window.take(nowMs, limit)) return true;
    this.#refusedAtMs = nowMs;
    return false;
  }
}

/** Looks at the count and adds to it in the next turn of the event loop. */
class CheckThenCount implements Limiter {
  #openedAtMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  take(nowMs: number, limit: number): boolean {
    if (nowMs >= this.#openedAtMs + windowMs) {
      this.#openedAtMs = nowMs;
      this.#count = 0;
    }
    if (this.#count >= limit) return false;
    setTimeout(() => (this.#count += 1), 2);
    return true;
  }
}

/** Two processes that take turns, each with a counter of its own. */
class TwoProcesses implements Limiter {
  readonly #counters = [new FixedFromFirst(windowMs), new FixedFromFirst(windowMs)];
  #turn = 0;

  take(nowMs: number, limit: number): boolean {
    this.#turn = 1 - this.#turn;
    return this.#counters[this.#turn]?.take(nowMs, limit) === true;
  }
}

/** A refusal empties the counter, as an error that loses its state would. */
class Forgetful implements Limiter {
  #limiter = new FixedFromFirst(windowMs);

  take(nowMs: number, limit: number): boolean {
    if (this.#limiter.take(nowMs, limit)) return true;
    this.#limiter = new FixedFromFirst(windowMs);
    return false;
  }
}

/** Each accepted request moves the end of the window, as a counter whose expiry is set anew each time. */
class Renewed implements Limiter {
  #endsAtMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  take(nowMs: number, limit: number): boolean {
    if (nowMs >= this.#endsAtMs) this.#count = 0;
    if (this.#count >= limit) return false;
    this.#count += 1;
    this.#endsAtMs = nowMs + windowMs;
    return true;
  }
}

/** What was refused in one window is taken off the next one. */
class CarriedOver implements Limiter {
  #openedAtMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  take(nowMs: number, limit: number): boolean {
    if (nowMs >= this.#openedAtMs + windowMs) {
      this.#openedAtMs = nowMs;
      this.#count = Math.max(0, this.#count - limit);
    }
    this.#count += 1;
    return this.#count <= limit;
  }
}

/** Keeps to the limit there was when the window began. */
class Frozen implements Limiter {
  readonly #window = new FixedFromFirst(windowMs);
  #openedAtMs = Number.NEGATIVE_INFINITY;
  #limit = 0;

  take(nowMs: number, limit: number): boolean {
    if (nowMs >= this.#openedAtMs + windowMs) {
      this.#openedAtMs = nowMs;
      this.#limit = limit;
    }
    return this.#window.take(nowMs, this.#limit);
  }
}

/** A tenth of the limit each second. */
class Split implements Limiter {
  readonly #limiter = new FixedAligned(windowMs / 10);

  take(nowMs: number, limit: number): boolean {
    return this.#limiter.take(nowMs, Math.ceil(limit / 10));
  }
}

/** Makes one limiter for each key and shares it among the scopes of that key. */
function sharedBy(keyOf: (scope: LimitScope) => string): (scope: LimitScope) => Limiter {
  const made = new Map<string, Limiter>();
  return (scope) => {
    const key = keyOf(scope);
    const limiter = made.get(key) ?? new FixedFromFirst(windowMs);
    made.set(key, limiter);
    return limiter;
  };
}

const everyLimit = tiers.map(({ rate }) => rate);

const limiterFaults: readonly Fault[] = [
  limiterFault({
    name: "rate/sulks-after-a-refusal",
    breaks: ["RATE-09", "RATE-15"],
    describe: "Every refusal starts a lock-out of three windows.",
    limiterOf: () => () => new Sulking(),
  }),
  limiterFault({
    name: "rate/check-then-count",
    breaks: everyLimit,
    describe: "A request is counted some time after the limit was looked at.",
    limiterOf: () => () => new CheckThenCount(),
  }),
  limiterFault({
    name: "rate/counter-per-process",
    breaks: everyLimit,
    describe: "Two processes share the requests and count each for itself.",
    limiterOf: () => () => new TwoProcesses(),
  }),
  limiterFault({
    name: "rate/forgets-on-a-refusal",
    breaks: everyLimit,
    describe: "A refusal empties the counter.",
    limiterOf: () => () => new Forgetful(),
  }),
  limiterFault({
    name: "rate/window-renewed-by-each-request",
    breaks: ["RATE-09"],
    describe: "The window ends ten seconds after the last request that was accepted.",
    limiterOf: () => () => new Renewed(),
  }),
  limiterFault({
    name: "rate/refusals-count-in-the-next-window",
    breaks: ["RATE-09", "RATE-14"],
    describe: "What was refused in one window is taken off the next one.",
    limiterOf: () => () => new CarriedOver(),
  }),
  limiterFault({
    name: "rate/growth-waits-for-the-next-window",
    breaks: ["RATE-12"],
    describe: "A window keeps the limit that it began with, however many workers come.",
    limiterOf: () => () => new Frozen(),
  }),
  {
    name: "rate/forgets-after-an-error",
    breaks: ["RATE-05"],
    describe: "An answer of 400 or more empties the counter.",
    change: () => ({ limits: { forgetsAfter: (_operation, status) => status >= 400 } }),
  },
  limiterFault({
    name: "rate/split-into-seconds",
    breaks: [...everyLimit, "RATE-09"],
    describe: "A tenth of the limit is let through each second.",
    limiterOf: () => () => new Split(),
  }),
  limiterFault({
    name: "rate/shared-among-operations",
    breaks: ["RATE-10"],
    describe: "All operations of an endpoint use up one count.",
    limiterOf: () => sharedBy(({ endpointId }) => endpointId),
  }),
  limiterFault({
    name: "rate/status-and-stream-share",
    breaks: ["RATE-10"],
    describe: "status and stream use up one count.",
    limiterOf: () =>
      sharedBy(({ endpointId, operation }) =>
        operation === "stream" ? `${endpointId} status` : `${endpointId} ${operation}`,
      ),
  }),
  limiterFault({
    name: "rate/shared-among-endpoints",
    breaks: ["RATE-11"],
    describe: "All endpoints use up one count for each operation.",
    limiterOf: () => sharedBy(({ operation }) => operation),
  }),
];

const dynamicFaults: readonly Fault[] = [
  {
    name: "rate/allowance-is-added",
    breaks: ["RATE-12"],
    describe: "The allowance of the workers is added to the base.",
    change: () => ({ limits: { effective: (base, workers, each) => base + workers * each } }),
  },
  {
    name: "rate/allowance-is-ignored",
    breaks: ["RATE-12"],
    describe: "The limit is the base, however many workers run.",
    change: () => ({ limits: { effective: (base) => base } }),
  },
  {
    name: "rate/allowance-replaces-the-base",
    breaks: ["RATE-12"],
    describe: "With an allowance, the limit is the workers' share alone.",
    change: () => ({
      limits: {
        effective: (base, workers, each) => (each === 0 || workers === 0 ? base : workers * each),
      },
    }),
  },
  {
    name: "rate/allowance-counts-one-worker-less",
    breaks: ["RATE-12"],
    describe: "One of the running workers brings no allowance.",
    change: () => ({
      limits: { effective: (base, workers, each) => Math.max(base, (workers - 1) * each) },
    }),
  },
];

const refusalFaults: readonly Fault[] = [
  {
    name: "rate/refused-with-503",
    breaks: everyLimit,
    describe: "A request beyond a limit answers 503.",
    change: () => ({ limits: { refusalStatus: () => 503 } }),
  },
  ...(["run", "runsync", "cancel", "purge-queue"] as const).map((operation): Fault => ({
    name: `rate/refused-${operation}-takes-effect`,
    breaks: ["RATE-13"],
    describe: `A ${operation} that answers 429 is carried out all the same.`,
    change: () => ({ limits: { refusalLeavesUndone: (each) => each !== operation } }),
  })),
];

export const rateFaults: readonly Fault[] = [
  ...tiers.flatMap((row) => [limitFault(row, 1), limitFault(row, -1), unlimited(row)]),
  ...lengths,
  ...limiterFaults,
  ...dynamicFaults,
  ...refusalFaults,
];

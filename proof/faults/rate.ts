import { tiers, windowMs } from "../../openapi/operations.ts";
import type { Tier } from "../../openapi/operations.ts";
import type { Fault } from "../../reference/faults.ts";
import { FixedAligned, FixedFromFirst, SlidingLog, TokenBucket } from "../../reference/limiters.ts";
import type { Limiter } from "../../reference/limiters.ts";
import { on } from "./builders/conditions.ts";
import { fault, remembering } from "./builders/compose.ts";
import { except, instead, replace, result, whenever } from "./builders/member.ts";
import { allowanceFaults } from "./rate-allowance.ts";
import { scopeFaults } from "./rate-scope.ts";

/** One operation has a limit that is wrong by `difference`. */
function limitFault({ operation, rate, limit }: Tier, difference: number): Fault {
  const how = difference > 0 ? "over" : "short";
  return fault(`rate/${operation}-one-${how}`, [rate], {
    describe: `The limit of ${operation} is ${limit + difference}.`,
    change: result("limits.requestsPerWindow", (max, each) =>
      each === operation ? max + difference : max,
    ),
  });
}

/** The requests of one operation are not counted. */
function unlimited({ operation, rate }: Tier): Fault {
  return fault(`rate/${operation}-not-limited`, [rate], {
    describe: `Requests of ${operation} are not counted.`,
    change: except("limits.isCounted", on(operation)),
  });
}

/** The faults in which a kind of window has another length than the stated one. */
const lengths = [9_000, 11_000, 20_000].flatMap((ms) => {
  const seconds = String(ms / 1_000);
  const kinds: readonly (readonly [string, () => Limiter])[] = [
    ["fixed", () => new FixedFromFirst(ms)],
    ["aligned", () => new FixedAligned(ms)],
    ["log", () => new SlidingLog(ms)],
    ["bucket", () => new TokenBucket(ms)],
  ];
  return kinds.map(([kind, make]) =>
    fault(`rate/window-of-${seconds}s-${kind}`, ["RATE-09"], {
      describe: `The window (${kind}) is ${seconds} seconds long.`,
      change: replace("limits.limiterOf", make),
    }),
  );
});

/** After a refusal it refuses until so much time has passed without a request. */
class RefusesUntilIdle implements Limiter {
  readonly #window = new FixedFromFirst(windowMs);
  readonly #idleMs: number;
  #refusedAtMs = Number.NEGATIVE_INFINITY;

  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  take(nowMs: number, limit: number): boolean {
    const isLockedOut = nowMs < this.#refusedAtMs + this.#idleMs;
    if (!isLockedOut && this.#window.take(nowMs, limit)) return true;
    this.#refusedAtMs = nowMs;
    return false;
  }
}

/** Checks the count at once, but adds to it only in the next turn of the event loop. */
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

/** A refusal empties the counter, like an error that loses its state. */
class Forgetful implements Limiter {
  #limiter = new FixedFromFirst(windowMs);

  take(nowMs: number, limit: number): boolean {
    if (this.#limiter.take(nowMs, limit)) return true;
    this.#limiter = new FixedFromFirst(windowMs);
    return false;
  }
}

/** Each accepted request moves the end of the window, like a counter whose expiry is renewed each time. */
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

/** Requests that were refused in one window count against the next one. */
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

/** Uses the limit as it was when the window began. */
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

/** Allows a tenth of the limit in each tenth of the window. */
class Split implements Limiter {
  readonly #limiter = new FixedAligned(windowMs / 10);

  take(nowMs: number, limit: number): boolean {
    return this.#limiter.take(nowMs, Math.ceil(limit / 10));
  }
}

/** Tells by the windows before how the next one limits. */
class LaterWindows implements Limiter {
  readonly #isOpen: (exhausted: number, silentMs: number) => boolean;
  readonly #window = new FixedFromFirst(windowMs);
  #openUntilMs = Number.NEGATIVE_INFINITY;
  #lastMs = 0;
  #exhausted = 0;
  #wasRefused = false;

  /** @param isOpen whether a window has no limit, by how many before it were exhausted and how long no request came */
  constructor(isOpen: (exhausted: number, silentMs: number) => boolean) {
    this.#isOpen = isOpen;
  }

  take(nowMs: number, limit: number): boolean {
    const silentMs = nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    if (silentMs >= windowMs) {
      if (this.#wasRefused) this.#exhausted += 1;
      this.#wasRefused = false;
      if (this.#isOpen(this.#exhausted, silentMs)) this.#openUntilMs = nowMs + windowMs;
    }
    if (nowMs < this.#openUntilMs) return true;
    const isIn = this.#window.take(nowMs, limit);
    if (!isIn) this.#wasRefused = true;
    return isIn;
  }
}

const everyLimit = tiers.map(({ rate }) => rate);

const limiterFaults: readonly Fault[] = [
  fault("rate/sulks-after-a-refusal", ["RATE-09", "RATE-15"], {
    describe: "Every refusal starts a lock-out of three windows.",
    change: () => ({ limits: { limiterOf: () => new RefusesUntilIdle(3 * windowMs) } }),
  }),
  fault("rate/check-then-count", everyLimit, {
    describe: "A request is counted some time after the limit was looked at.",
    change: () => ({ limits: { limiterOf: () => new CheckThenCount() } }),
  }),
  fault("rate/counter-per-process", everyLimit, {
    describe: "Two processes share the requests and count each for itself.",
    change: () => ({ limits: { limiterOf: () => new TwoProcesses() } }),
  }),
  fault("rate/forgets-on-a-refusal", everyLimit, {
    describe: "A refusal empties the counter.",
    change: () => ({ limits: { limiterOf: () => new Forgetful() } }),
  }),
  fault("rate/window-renewed-by-each-request", ["RATE-09"], {
    describe: "The window ends ten seconds after the last request that was accepted.",
    change: () => ({ limits: { limiterOf: () => new Renewed() } }),
  }),
  fault("rate/refusals-begin-the-window-of-status-anew", ["RATE-09"], {
    describe: "The window of status begins anew with each request that is refused.",
    change: result("limits.limiterOf", (right, { operation }) =>
      operation === "status" ? new RefusesUntilIdle(windowMs) : right,
    ),
  }),
  fault("rate/refusals-count-in-the-next-window", ["RATE-09", "RATE-14"], {
    describe: "What was refused in one window is taken off the next one.",
    change: () => ({ limits: { limiterOf: () => new CarriedOver() } }),
  }),
  fault("rate/growth-waits-for-the-next-window", ["RATE-12"], {
    describe: "A window keeps the limit that it began with, however many workers come.",
    change: () => ({ limits: { limiterOf: () => new Frozen() } }),
  }),
  fault("rate/forgets-after-an-error", ["RATE-05"], {
    describe: "An answer of 400 or more empties the counter.",
    change: () => ({ limits: { forgetsAfter: (_operation, status) => status >= 400 } }),
  }),
  fault("rate/split-into-seconds", [...everyLimit, "RATE-09"], {
    describe: "A tenth of the limit is let through each second.",
    change: () => ({ limits: { limiterOf: () => new Split() } }),
  }),
];

const lowTiers = tiers.filter(({ limit }) => limit <= 100);

/** The low limits are gone in some later windows. */
function openLater(
  name: string,
  describe: string,
  isOpen: (exhausted: number, silentMs: number) => boolean,
): Fault {
  const operations = new Set(lowTiers.map(({ operation }) => operation));
  return fault(
    `rate/opens-after-${name}`,
    lowTiers.map(({ rate }) => rate),
    {
      describe,
      change: result("limits.limiterOf", (right, { operation }) =>
        operations.has(operation) ? new LaterWindows(isOpen) : right,
      ),
    },
  );
}

const laterFaults: readonly Fault[] = [
  openLater(
    "ten-windows",
    "A low limit that was exhausted ten times is gone for good.",
    (exhausted) => exhausted >= 10,
  ),
  openLater(
    "an-hour",
    "The first window after an hour of silence has no limit where limits are low.",
    (_exhausted, silentMs) => silentMs >= 3_600_000,
  ),
];

const refusalFaults: readonly Fault[] = [
  fault("rate/refused-with-503", everyLimit, {
    describe: "A request beyond a limit answers 503.",
    change: () => ({ limits: { refusalStatus: () => 503 } }),
  }),
  ...(["run", "runsync", "status", "stream", "cancel", "purge-queue"] as const).map((operation) =>
    fault(`rate/refused-${operation}-takes-effect`, ["RATE-13"], {
      describe: `A ${operation} that answers 429 is carried out all the same.`,
      change: except("limits.refusalLeavesUndone", on(operation)),
    }),
  ),
  fault("rate/run-refused-at-its-cap-takes-effect", ["RATE-13"], {
    describe: "A run that answers 429 because too many are in flight makes a job all the same.",
    change: except(
      "limits.refusalLeavesUndone",
      (operation, why) => operation === "run" && why === "cap",
    ),
  }),
  fault("rate/refused-cancel-stops-work", ["RATE-13"], {
    describe:
      "A cancel that answers 429 stops a job that is being processed; others stay as they are.",
    change: remembering({ isRefused: false }, (memory) => [
      whenever("limits.countedAs", () => void (memory.isRefused = false)),
      except("limits.refusalLeavesUndone", (operation) => {
        memory.isRefused = operation === "cancel";
        return memory.isRefused;
      }),
      instead(
        "lifecycle.next",
        undefined,
        ({ status }, event) => memory.isRefused && event === "cancel" && status !== "IN_PROGRESS",
      ),
    ]),
  }),
];

export const rateFaults: readonly Fault[] = [
  ...tiers.flatMap((row) => [limitFault(row, 1), limitFault(row, -1), unlimited(row)]),
  ...lengths,
  ...limiterFaults,
  ...scopeFaults,
  ...laterFaults,
  ...allowanceFaults,
  ...refusalFaults,
];

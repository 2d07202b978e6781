import { StallGroup } from "./stall-group.ts";
import type { StallMember } from "./stall-group.ts";

/**
 * How a check holds an endpoint. Short and long holders share it; the long ones keep a worker busy and must not take
 * the last one from the short ones. Stalled holders share it while no worker is free; purging ones do so, too, and
 * share one purge. An exclusive holder has it alone.
 */
export type Hold = "short" | "long" | "stalled" | "purging" | "exclusive";

/** How many holders of each kind may share an endpoint at once. */
export interface ShareLimits {
  readonly short: number;
  readonly long: number;
  /** How many long ones while no short one holds the endpoint or waits for it. */
  readonly longAlone: number;
}

/** What a check asks for when it wants to hold an endpoint. */
export interface HoldRequest {
  readonly hold: Hold;
  /** Whether it will stall the endpoint later, so that it may share any endpoint and not only the first. */
  readonly isToStall?: boolean | undefined;
  /** How long a shared stall may last, in milliseconds; only checks with the same bound share one. */
  readonly stallMsMax?: number | undefined;
  /** The check that asks. */
  readonly holder: StallMember;
  /** Whether the check has begun: it goes before those that have not, for it may be bound to a moment. */
  readonly hasBegun?: boolean;
  /** The number of the endpoint; absent: any. */
  readonly endpoint?: number | undefined;
  /** In how many milliseconds the rate limits of an endpoint allow what it will do there; absent: at once. */
  readonly readyInMs?: ((endpoint: number) => number) | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The hold of one check on one endpoint. */
export interface HeldEndpoint {
  /** The number of the endpoint. */
  readonly endpoint: number;
  /** The stall that it shares with others; `undefined` for a hold without a stall. */
  readonly stall: StallGroup | undefined;
  /** Turns a stalled hold into a short one, even beyond the limit: the checks that waited together go on together. */
  readonly share: () => void;
  readonly release: () => void;
}

/** The most checks in one stall: more would wait too long for each other's jobs once the workers are free. */
const stalledMax = 40;

function isUnbounded({ stallMsMax }: HoldRequest): boolean {
  return stallMsMax === undefined;
}

interface Waiting extends HoldRequest {
  readonly admit: (held: HeldEndpoint) => void;
}

/**
 * The endpoints of a run, all alike, and who holds which of them. Short and long holds come before stalls, and stalls
 * before exclusive holds, or long waits could not overlap (docs/decisions/0011-long-waits-overlap.md); but an exclusive
 * hold whose rate limit has room comes before every stall but the first. Within each kind: checks that have begun, then
 * first come, first served. While other kinds are waited for, short and long holds are given on the first endpoint only.
 */
export class EndpointPool {
  readonly #limits: readonly ShareLimits[];
  readonly #held: readonly Record<Hold, number>[];
  readonly #waiting: Waiting[] = [];
  /** The endpoints whose workers were stalled already. */
  readonly #stalled = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #isAdmitting = false;

  /** @param limits one for each endpoint */
  constructor(limits: readonly ShareLimits[]) {
    this.#limits = limits;
    this.#held = limits.map(() => ({ short: 0, long: 0, stalled: 0, purging: 0, exclusive: 0 }));
  }

  /** Resolves when an endpoint can be held as requested. Rejects when the signal fires first. */
  async acquire(request: HoldRequest): Promise<HeldEndpoint> {
    const { signal } = request;
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        const index = this.#waiting.indexOf(waiting);
        if (index >= 0) this.#waiting.splice(index, 1);
        this.#admitSoon();
        reject(new DOMException("stopped while waiting for the endpoint", "AbortError"));
      };
      const waiting: Waiting = {
        ...request,
        admit: (held) => {
          signal?.removeEventListener("abort", giveUp);
          resolve(held);
        },
      };
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#waiting.push(waiting);
      this.#admitSoon();
    });
  }

  /** Admits when all requests of this moment have been made, so that those that share a stall begin it together. */
  #admitSoon(): void {
    if (this.#isAdmitting) return;
    this.#isAdmitting = true;
    setImmediate(() => {
      this.#isAdmitting = false;
      // First of all: a request that its rate limit allows a moment later, and not yet now, would be forgotten.
      this.#admitWhenReady();
      for (const endpoint of this.#held.keys()) this.#admitTo(endpoint);
    });
  }

  #admitTo(endpoint: number): void {
    const held = this.#held[endpoint];
    if (held === undefined) return;
    if (held.stalled + held.purging + held.exclusive > 0) return;
    for (const hold of ["short", "long"] as const) {
      while (held[hold] < this.#limitOf(hold, endpoint)) {
        const next = this.#take(hold, endpoint);
        if (next === undefined) break;
        this.#give(endpoint, next);
      }
    }
    // Unused room in a rate limit is lost, so it is used between two stalls, too. The first stall comes before that:
    // some of the checks that share it wait for a minute after it.
    if (this.#stalled.has(endpoint)) {
      this.#admitAlone(endpoint, ({ readyInMs }) => readyInMs !== undefined);
    }
    for (const hold of ["stalled", "purging"] as const) this.#admitToStall(hold, endpoint);
    this.#admitAlone(endpoint);
  }

  #admitAlone(endpoint: number, may: (request: HoldRequest) => boolean = () => true): void {
    if (this.#isHeld(endpoint)) return;
    const alone = this.#take("exclusive", endpoint, may);
    if (alone !== undefined) this.#give(endpoint, alone);
  }

  /** Begins one stall for all that can share it, if nobody holds the endpoint. */
  #admitToStall(hold: "stalled" | "purging", endpoint: number): void {
    if (this.#isHeld(endpoint)) return;
    const stall = new StallGroup();
    // Requests without a bound come first: most have none.
    let next = this.#take(hold, endpoint, isUnbounded) ?? this.#take(hold, endpoint);
    const boundMs = next?.stallMsMax;
    while (next !== undefined) {
      stall.join(next.holder);
      this.#stalled.add(endpoint);
      this.#give(endpoint, next, stall);
      if (stall.size >= stalledMax) return;
      next = this.#take(hold, endpoint, ({ stallMsMax }) => stallMsMax === boundMs);
    }
  }

  #isHeld(endpoint: number): boolean {
    return Object.values(this.#held[endpoint] ?? {}).some((count) => count > 0);
  }

  #limitOf(hold: "short" | "long", endpoint: number): number {
    const limits = this.#limits[endpoint] ?? { short: 0, long: 0, longAlone: 0 };
    const isWithoutShort =
      this.#held[endpoint]?.short === 0 && !this.#waiting.some((each) => each.hold === "short");
    return hold === "long" && isWithoutShort ? limits.longAlone : limits[hold];
  }

  /**
   * Takes the first request for this kind of hold that may have it out of the queue. A request with a rate limit that
   * has room goes before the others: such room is the scarcest.
   */
  #take(
    hold: Hold,
    endpoint: number,
    isWanted: (request: HoldRequest) => boolean = () => true,
  ): Waiting | undefined {
    const shares = hold === "short" || hold === "long";
    const may = this.#waiting.filter((each) => {
      if (each.hold !== hold || !isWanted(each)) return false;
      const isWelcome =
        each.endpoint === undefined
          ? !shares || endpoint === 0 || each.isToStall === true || this.#onlySharesWait
          : each.endpoint === endpoint;
      return isWelcome && (each.readyInMs?.(endpoint) ?? 0) <= 0;
    });
    const next =
      may.find(({ readyInMs }) => readyInMs !== undefined) ??
      may.find(({ hasBegun }) => hasBegun === true) ??
      may[0];
    if (next !== undefined) this.#waiting.splice(this.#waiting.indexOf(next), 1);
    return next;
  }

  get #onlySharesWait(): boolean {
    return this.#waiting.every(({ hold }) => hold === "short" || hold === "long");
  }

  #give(endpoint: number, { hold, admit }: Waiting, stall?: StallGroup): void {
    const held = this.#held[endpoint];
    if (held === undefined) return;
    let current = hold;
    held[current] += 1;
    const release = (): void => {
      held[current] -= 1;
      this.#admitSoon();
    };
    const share = (): void => {
      release();
      current = "short";
      held[current] += 1;
    };
    admit({ endpoint, stall, share, release });
  }

  /** Sets a timer to admit again when a rate limit allows one of those that wait for it. */
  #admitWhenReady(): void {
    clearTimeout(this.#timer);
    const endpoints = [...this.#held.keys()];
    const waits = this.#waiting.flatMap(({ readyInMs, endpoint }) =>
      readyInMs === undefined
        ? []
        : (endpoint === undefined ? endpoints : [endpoint]).map(readyInMs),
    );
    const nextMs = Math.min(...waits.filter((ms) => ms > 0));
    if (Number.isFinite(nextMs)) this.#timer = setTimeout(() => this.#admitSoon(), nextMs);
  }
}

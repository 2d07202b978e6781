/** Decides whether one more request fits. `limit` may change from call to call (the dynamic rule). */
export interface Limiter {
  /** Counts the request and answers true, or answers false and counts nothing. */
  take(nowMs: number, limit: number): boolean;
}

abstract class WindowLimiter implements Limiter {
  protected readonly windowMs: number;

  constructor(windowMs: number) {
    this.windowMs = windowMs;
  }

  abstract take(nowMs: number, limit: number): boolean;
}

/** A window opens with the first request after the last one has closed. */
export class FixedFromFirst extends WindowLimiter {
  #openedAtMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  take(nowMs: number, limit: number): boolean {
    if (nowMs >= this.#openedAtMs + this.windowMs) {
      this.#openedAtMs = this.opensAtMs(nowMs);
      this.#count = 0;
    }
    if (this.#count >= limit) return false;
    this.#count += 1;
    return true;
  }

  /** When the window opens in which a request of this moment is the first. */
  protected opensAtMs(nowMs: number): number {
    return nowMs;
  }
}

/** Windows begin at multiples of their length, whenever the requests come. */
export class FixedAligned extends FixedFromFirst {
  protected override opensAtMs(nowMs: number): number {
    return Math.floor(nowMs / this.windowMs) * this.windowMs;
  }
}

/** Remembers each request for the length of the window. */
export class SlidingLog extends WindowLimiter {
  readonly #remembersRefusals: boolean;
  #atMs: number[] = [];
  #first = 0;

  constructor(windowMs: number, { remembersRefusals = false } = {}) {
    super(windowMs);
    this.#remembersRefusals = remembersRefusals;
  }

  take(nowMs: number, limit: number): boolean {
    while ((this.#atMs[this.#first] ?? Number.POSITIVE_INFINITY) <= nowMs - this.windowMs) {
      this.#first += 1;
    }
    // Cutting off the past only now and then keeps each call cheap.
    if (this.#first > 1_024 && this.#first * 2 > this.#atMs.length) {
      this.#atMs = this.#atMs.slice(this.#first);
      this.#first = 0;
    }
    const isAdmitted = this.#atMs.length - this.#first < limit;
    if (isAdmitted || this.#remembersRefusals) this.#atMs.push(nowMs);
    return isAdmitted;
  }
}

/** The window before counts in proportion to how much of it the sliding window still covers. */
export class SlidingCounter extends WindowLimiter {
  readonly #remembersRefusals: boolean;
  #window = 0;
  #before = 0;
  #count = 0;

  constructor(windowMs: number, { remembersRefusals = false } = {}) {
    super(windowMs);
    this.#remembersRefusals = remembersRefusals;
  }

  take(nowMs: number, limit: number): boolean {
    const window = Math.floor(nowMs / this.windowMs);
    if (window !== this.#window) {
      this.#before = window === this.#window + 1 ? this.#count : 0;
      this.#window = window;
      this.#count = 0;
    }
    const covered = 1 - (nowMs % this.windowMs) / this.windowMs;
    const isAdmitted = this.#before * covered + this.#count + 1 <= limit;
    if (isAdmitted || this.#remembersRefusals) this.#count += 1;
    return isAdmitted;
  }
}

/** A full bucket of `limit` tokens that fills up evenly, once per window. */
export class TokenBucket extends WindowLimiter {
  #tokens = Number.POSITIVE_INFINITY;
  #filledAtMs = 0;

  take(nowMs: number, limit: number): boolean {
    const gained = ((nowMs - this.#filledAtMs) * limit) / this.windowMs;
    this.#tokens = Math.min(limit, this.#tokens + gained);
    this.#filledAtMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

/** A theoretical arrival time that moves on with each request: a bucket without a count of tokens. */
export class Gcra extends WindowLimiter {
  #arrivalMs = Number.NEGATIVE_INFINITY;

  take(nowMs: number, limit: number): boolean {
    const intervalMs = this.windowMs / limit;
    const arrivalMs = Math.max(this.#arrivalMs, nowMs);
    // Rounding must not cost the last request of a full burst.
    if (arrivalMs + intervalMs - nowMs > this.windowMs + 1e-6) return false;
    this.#arrivalMs = arrivalMs + intervalMs;
    return true;
  }
}

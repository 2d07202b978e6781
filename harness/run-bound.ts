import { monotonicNowMs } from "../client/exchange.ts";
import { durationText } from "../reports/words.ts";
import { CoveredTime } from "./covered-time.ts";

/** A run ends within one and a half times its plan; the rest is for what is under way to end, and for the report. */
const planFactor = 1.4;
/** Any run may take a minute: a worker may have to start, and one answer may take its whole time-out. */
const leastMs = 55_000;
/** How much of the target's own time is granted beyond the plan on a real clock, at least; and as much as the plan. */
const grantedMsMin = 60_000;
const lookEveryMs = 250;

/** A limit that a run is given from outside. */
export interface TimeLimit {
  readonly ms: number;
  /** Since when it counts, on the clock of `monotonicNowMs`. */
  readonly sinceMs: number;
}

export interface RunBoundOptions {
  readonly virtual: boolean;
  readonly startedAtMs: number;
  /** For how long workers of the target were busy with nothing that it should do, in milliseconds; absent: not at all. */
  readonly keptWorkersMs?: (() => number) | undefined;
  /** Called once, when the run has taken too long. */
  readonly onOver: (reason: string) => void;
  /** Called when the run may take at least a second more or less than was known; in milliseconds since the start. */
  readonly onBound?: ((limitMs: number) => void) | undefined;
  readonly now?: () => number;
}

/**
 * Bounds a run by its plan, whatever the target does. What the target's answers took, and what the checks that passed
 * took beyond their plan, is learned while it runs and granted on top, and so is the time for which it kept workers busy
 * with cancelled jobs; what is waited for in vain is not.
 */
export class RunBound {
  readonly #options: RunBoundOptions;
  readonly #now: () => number;
  readonly #answering = new CoveredTime();
  #timer: NodeJS.Timeout | undefined;
  #expectedMs = 0;
  #limit: TimeLimit | undefined;
  readonly #late = new CoveredTime();
  #toldMs = -Infinity;

  constructor(options: RunBoundOptions) {
    this.#options = options;
    this.#now = options.now ?? monotonicNowMs;
  }

  /**
   * Sets what the run is held to, and begins to watch it.
   * @param expectedMs how long it takes on a real clock
   * @param limit the longest that it was given from outside
   */
  plan(expectedMs: number, limit?: TimeLimit): void {
    this.#expectedMs = expectedMs;
    this.#limit = limit;
    this.#timer ??= setInterval(() => this.look(), lookEveryMs).unref();
    this.look();
  }

  /** Has to be called with each request that was answered, unless its answer was to be held back. */
  answered(sentAtMs: number, answeredAtMs: number): void {
    this.#answering.add(sentAtMs, answeredAtMs);
  }

  /** Has to be called with how much longer than planned a check took that passed. */
  passedLate(ms: number): void {
    const nowMs = this.#now();
    if (ms > 0) this.#late.add(nowMs - ms, nowMs);
  }

  /** How long the run may take, in milliseconds since its start. */
  get limitMs(): number {
    return Math.min(this.#ownLimitMs, this.#givenMs);
  }

  get #givenMs(): number {
    if (this.#limit === undefined) return Infinity;
    return this.#limit.sinceMs + this.#limit.ms - this.#options.startedAtMs;
  }

  get #ownLimitMs(): number {
    const plannedMs = this.#options.virtual ? 0 : this.#expectedMs;
    return Math.max(leastMs, planFactor * plannedMs) + planFactor * this.#grantedMs;
  }

  get #grantedMs(): number {
    const answeringMs = this.#answering.ms;
    if (this.#options.virtual) return answeringMs;
    const grantedMsMax = Math.max(grantedMsMin, this.#expectedMs);
    const keptMs = this.#options.keptWorkersMs?.() ?? 0;
    return Math.min(Math.max(answeringMs, this.#late.ms, keptMs), grantedMsMax);
  }

  /** Ends the run where it has taken too long. */
  look(): void {
    const { limitMs } = this;
    if (Math.abs(limitMs - this.#toldMs) >= 1000) {
      this.#toldMs = limitMs;
      this.#options.onBound?.(limitMs);
    }
    if (this.#now() - this.#options.startedAtMs < limitMs) return;
    this.close();
    this.#options.onOver(this.#reason(limitMs));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #reason(limitMs: number): string {
    const afterMs = limitMs < this.#ownLimitMs ? this.#limit?.ms : limitMs;
    const after = `the run was ended after ${durationText(afterMs ?? limitMs)}`;
    const answers = `the target's answers took ${durationText(this.#answering.ms)}`;
    const planned = `it was planned to take ${durationText(this.#expectedMs)}`;
    const isGiven = limitMs < this.#ownLimitMs;
    if (this.#options.virtual && isGiven) return `${after}, its time limit, and ${answers}`;
    if (isGiven) return `${after}, its time limit: ${planned}`;
    if (this.#options.virtual) {
      return `${after}: on a virtual clock it may take a minute beyond what answers take, and ${answers}`;
    }
    return `${after}: ${planned} and may take half as much again, a minute at least, and ${answers}`;
  }
}

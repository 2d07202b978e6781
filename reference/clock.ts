import { performance } from "node:perf_hooks";

import { TimerQueue, type Timer } from "./timer-queue.ts";
import { TimeSlice } from "./time-slice.ts";

export type ClockMode = "real" | "virtual";

/** Where an endpoint's time comes from. Nothing else in this folder reads or waits for time. */
export interface Clock {
  readonly mode: ClockMode;
  nowMs(): number;
  /** Runs the action at `atMs` (at the next turn when that has passed), in order of time, then of scheduling. */
  schedule(atMs: number, action: () => void): Timer;
  /** Names work that belongs to the present instant; virtual time does not move on before it settles. */
  track(effect: Promise<unknown>): void;
  /** Forgets everything that is scheduled, and whatever is scheduled from now on. */
  stop(): void;
}

/** What is scheduled on a clock that has stopped. */
const never: Timer = { atMs: Number.POSITIVE_INFINITY, cancel: () => {} };

/** The longest delay setTimeout can hold; beyond it the delay silently becomes 1 ms. */
const DELAY_MS_MAX = 2_147_483_647;

/** In how many turns the time of `abortAfter` is counted. */
const TURNS = 20;

/**
 * Aborts after so much real time, whatever an endpoint's clock says: for what happens outside of it.
 * The time is counted in turns, so that a process which was busy for long does not take its own
 * lateness for somebody else's silence.
 */
export function abortAfter(controller: AbortController, realMs: number): Pick<Timer, "cancel"> {
  let turnsLeft = TURNS;
  const interval = setInterval(() => {
    turnsLeft -= 1;
    if (turnsLeft > 0) return;
    clearInterval(interval);
    controller.abort();
  }, realMs / TURNS);
  return { cancel: () => clearInterval(interval) };
}

export interface RealClockOptions {
  /** How many milliseconds of the clock pass in one of the wall's; default 1. */
  readonly speed?: number | undefined;
  /** It shows this time or that of the wall when it starts, whichever is later. */
  readonly notBeforeMs?: number | undefined;
}

/** Wall time, or faster, monotonic, in whole milliseconds. One timer of the platform serves all that is scheduled. */
export class RealClock implements Clock {
  readonly mode = "real";
  readonly speed: number;
  readonly #startedAtMs = performance.now();
  readonly #startMs: number;
  readonly #queue = new TimerQueue();
  #armed: NodeJS.Timeout | undefined;
  #armedForMs = Number.POSITIVE_INFINITY;
  #isStopped = false;

  constructor({ speed = 1, notBeforeMs = 0 }: RealClockOptions = {}) {
    this.speed = speed;
    this.#startMs = Math.max(performance.timeOrigin + this.#startedAtMs, notBeforeMs);
  }

  nowMs(): number {
    return Math.floor(this.#startMs + (performance.now() - this.#startedAtMs) * this.speed);
  }

  schedule(atMs: number, action: () => void): Timer {
    if (this.#isStopped) return never;
    const timer = this.#queue.add(atMs, action);
    this.#arm();
    return timer;
  }

  /** Real time waits for nobody. */
  track(): void {}

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#armed);
    this.#armed = undefined;
    this.#armedForMs = Number.POSITIVE_INFINITY;
    this.#queue.clear();
  }

  #arm(): void {
    const nextAtMs = this.#queue.nextAtMs;
    if (nextAtMs === undefined || nextAtMs >= this.#armedForMs) return;

    clearTimeout(this.#armed);
    this.#armedForMs = nextAtMs;
    const delayMs = Math.ceil(Math.max(nextAtMs - this.nowMs(), 0) / this.speed);
    this.#armed = setTimeout(() => this.#fire(), Math.min(delayMs, DELAY_MS_MAX));
  }

  /** The platform may wake a little early or, after the longest delay, far too early: only what is due runs. */
  #fire(): void {
    this.#armedForMs = Number.POSITIVE_INFINITY;
    const nowMs = this.nowMs();
    for (;;) {
      const due = this.#queue.takeDue(nowMs);
      if (due === undefined) break;
      due.action();
    }
    this.#arm();
  }
}

/** The latest time of a virtual clock, in milliseconds: later ones could not be told apart by one. */
export const clockMsMax = 2 ** 52;

/** Time that stands still until it is advanced. 7 days pass as fast as what happens in them allows. */
export class VirtualClock implements Clock {
  readonly mode = "virtual";
  readonly #queue = new TimerQueue();
  readonly #effects = new Set<Promise<unknown>>();
  #nowMs: number;
  #lastAdvance: Promise<unknown> = Promise.resolve();
  #isStopped = false;

  constructor(startMs = 0) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  get scheduledCount(): number {
    return this.#queue.size;
  }

  schedule(atMs: number, action: () => void): Timer {
    return this.#isStopped ? never : this.#queue.add(atMs, action);
  }

  track(effect: Promise<unknown>): void {
    this.#effects.add(effect);
    const forget = (): void => void this.#effects.delete(effect);
    effect.then(forget, forget);
  }

  /**
   * Moves time on by `ms` and answers the new time once everything due has happened in order of time,
   * the effects of each instant settled before the next one. Calls take their turn.
   */
  advance(ms: number): Promise<number> {
    const turn = this.#lastAdvance.then(() => this.#advanceNow(ms));
    this.#lastAdvance = turn;
    return turn;
  }

  stop(): void {
    this.#isStopped = true;
    this.#queue.clear();
    this.#effects.clear();
  }

  async #advanceNow(ms: number): Promise<number> {
    const untilMs = Math.min(clockMsMax, this.#nowMs + ms);
    const slice = new TimeSlice();
    for (;;) {
      await this.#runDue(this.#nowMs, slice);
      await this.#settle();

      const nextAtMs = this.#queue.nextAtMs;
      if (nextAtMs === undefined || nextAtMs > untilMs) break;
      this.#nowMs = Math.max(this.#nowMs, nextAtMs);
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
    return this.#nowMs;
  }

  async #runDue(untilMs: number, slice: TimeSlice): Promise<void> {
    for (;;) {
      const due = this.#queue.takeDue(untilMs);
      if (due === undefined) return;
      due.action();
      if (slice.isOver) await slice.next();
    }
  }

  /** An effect may start another one, so this looks again until none is left. */
  async #settle(): Promise<void> {
    while (this.#effects.size > 0) {
      await Promise.allSettled(this.#effects);
    }
  }
}

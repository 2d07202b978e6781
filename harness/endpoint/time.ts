import { setTimeout as sleep } from "node:timers/promises";

import { monotonicNowMs } from "../../client/exchange.ts";
import type { ControlClient } from "../../client/control-client.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { EndpointLease } from "./endpoint-lease.ts";
import { TimeLog } from "./time-log.ts";
import type { Interval } from "../interval.ts";
import type { Jobs } from "../inputs/jobs.ts";
import { Inconclusive } from "../outcome.ts";

/** An answer and the moment it speaks of. */
export interface Observation {
  readonly exchange: Exchange;
  readonly at: Interval;
}

/** Sends one request. */
type RequestToSend = () => Promise<Exchange>;

/** The time of one endpoint, virtual or real, as a check sees it. All times are milliseconds of that clock. */
export interface EndpointTime {
  readonly virtual: boolean;
  /** Picks the value for this kind of clock: a virtual one makes nobody wait and is exact. */
  choose: <T>(ways: { readonly virtual: T; readonly real: T }) => T;
  now: () => Interval;
  /** How far from a boundary a check looks, in milliseconds: 1 on a virtual clock (docs/specification.md#moments). */
  readonly marginMs: number;
  /** Records how time passed, and what was waited for. */
  readonly log: TimeLog;
  /** Lets time pass. On a real clock others may use a shared endpoint meanwhile. */
  pass: (ms: number) => Promise<void>;
  /** Moves a virtual clock, for what is awaited next; does nothing on a real one, where waiting itself takes time. */
  advance: (ms: number) => Promise<void>;
  /** Lets everything happen that is due now. */
  settle: () => Promise<void>;
  /** Makes a request and says when it was answered. */
  observe: (request: RequestToSend) => Promise<Observation>;
  /**
   * Makes a request while the age of `since` is still surely below `ageMs`, as late as is safe. One that `changes`
   * something may have to wait until a shared endpoint is free; it asks for the endpoint early enough for that.
   */
  before: (
    since: Interval,
    ageMs: number,
    request: RequestToSend,
    options?: { readonly changes?: boolean },
  ) => Promise<Observation>;
  /** Makes a request when the age of `since` is surely above `ageMs`, as soon as is safe. */
  after: (since: Interval, ageMs: number, request: RequestToSend) => Promise<Observation>;
  /**
   * Calls `read` until `accept` holds for its result, for at most `withinMs` of the endpoint's time (0: what is due
   * now; on a real clock some seconds of grace come on top, and while a job of the check is unfinished, as long as that
   * may take). Returns the last result either way.
   */
  until: <T>(read: () => Promise<T>, accept: (seen: T) => boolean, withinMs?: number) => Promise<T>;
}

interface VirtualTimeOptions {
  /** What the clock shows. Absent: that is learned when it is moved, and is 0 for the check, since no other moves it. */
  readonly nowMs?: number;
  /** How much longer than asked for a job may take, in milliseconds. */
  readonly graceMs?: number;
  /** What the check does on the endpoint; absent: others work there, too. */
  readonly check?: CheckActivity;
}

/** The part of a lease that a virtual clock needs: what of a check may have made something due. */
export type CheckActivity = Pick<EndpointLease, "activity" | "hasWebhooks">;

/** Time that stands still between calls of advance: every moment is exact. */
export class VirtualTime implements EndpointTime {
  readonly virtual = true;
  readonly marginMs = 1;
  readonly log: TimeLog;
  readonly #control: ControlClient;
  readonly #endpointId: string;
  readonly #graceMs: number;
  readonly #check: CheckActivity | undefined;
  #nowMs: number;
  /** What the clock shows where it is 0 for the check; undefined before that is known. */
  #originMs: number | undefined;
  /** How many moves are under way, and when the last one ended. */
  #moving = 0;
  #movedAtMs = -Infinity;
  /** The move that was asked for last, and the activity before it. */
  #lastMove: { readonly done: Promise<void>; readonly activity: number | undefined } | undefined;

  constructor(
    control: ControlClient,
    endpointId: string,
    { nowMs, graceMs = 0, check }: VirtualTimeOptions = {},
  ) {
    this.#control = control;
    this.#endpointId = endpointId;
    this.#graceMs = graceMs;
    this.#check = check;
    this.#originMs = nowMs === undefined ? undefined : 0;
    this.#nowMs = nowMs ?? 0;
    this.log = new TimeLog(this.#nowMs);
  }

  choose<T>({ virtual }: { readonly virtual: T }): T {
    return virtual;
  }

  now(): Interval {
    return { earliestMs: this.#nowMs, latestMs: this.#nowMs };
  }

  async pass(ms: number): Promise<void> {
    const done = this.#move(ms);
    this.#lastMove = { done, activity: this.#check?.activity };
    await done;
  }

  async #move(ms: number): Promise<void> {
    const askedAtMs = monotonicNowMs();
    this.#moving += 1;
    const moved = (): void => {
      this.#moving -= 1;
      this.#movedAtMs = monotonicNowMs();
    };
    const shownMs = await this.#control.advance(this.#endpointId, ms).finally(moved);
    this.#originMs ??= shownMs - ms;
    this.#nowMs = shownMs - this.#originMs;
    this.log.moved({ earliestMs: askedAtMs, latestMs: monotonicNowMs() }, this.#nowMs);
  }

  async advance(ms: number): Promise<void> {
    await this.pass(ms);
  }

  /** For how many milliseconds nobody has moved the clock; 0 while it is moved. */
  stoodStillMs(): number {
    return this.#moving > 0 ? 0 : monotonicNowMs() - this.#movedAtMs;
  }

  /** Whether nothing new can be due, because nothing was asked since the clock was moved last. */
  get #isSettled(): boolean {
    const activity = this.#check?.activity;
    return activity !== undefined && activity === this.#lastMove?.activity;
  }

  async settle(): Promise<void> {
    await (this.#isSettled ? this.#lastMove?.done : this.pass(0));
  }

  async observe(request: RequestToSend): Promise<Observation> {
    const exchange = await request();
    return { exchange, at: this.now() };
  }

  async before(since: Interval, ageMs: number, request: RequestToSend): Promise<Observation> {
    await this.#reach(since.earliestMs + ageMs - this.marginMs);
    const seen = await this.observe(request);
    this.log.waitedFor(since, ageMs, seen.exchange);
    requireYounger({ time: this }, since, ageMs);
    return seen;
  }

  async after(since: Interval, ageMs: number, request: RequestToSend): Promise<Observation> {
    await this.#reach(since.latestMs + ageMs + this.marginMs);
    const seen = await this.observe(request);
    this.log.waitedFor(since, ageMs, seen.exchange);
    return seen;
  }

  /**
   * Things happen only in `advance`, so settling once and reading once is enough for jobs of known length. What needs no
   * time has mostly happened when it was asked for, so that reading alone is enough where no webhook is to be called.
   */
  async until<T>(read: () => Promise<T>, accept: (seen: T) => boolean, withinMs = 0): Promise<T> {
    const readsFirst = this.#check?.hasWebhooks === false && !this.#isSettled;
    if (!readsFirst) await this.settle();
    const graceMs = Math.ceil(this.#graceMs / graceSteps);
    const waits = [withinMs, ...Array.from({ length: graceSteps }, () => graceMs)];
    const moves = waits.filter((ms) => ms > 0);
    let seen = await read();
    for (const waitMs of readsFirst ? [0, ...moves] : moves) {
      if (accept(seen)) break;
      await this.pass(waitMs);
      seen = await read();
    }
    return seen;
  }

  async #reach(momentMs: number): Promise<void> {
    if (momentMs > this.#nowMs) await this.pass(momentMs - this.#nowMs);
  }
}

/**
 * To be called after a read, before it is judged: throws unless `since` was surely younger than `ageMs` then.
 * @throws Inconclusive where it may have been older
 */
export function requireYounger(
  { time }: { readonly time: Pick<EndpointTime, "now"> },
  since: Interval,
  ageMs: number,
): void {
  if (time.now().latestMs - since.earliestMs >= ageMs) throw tooLate(ageMs);
}

/** In how many steps a virtual clock is moved while jobs of unknown length end. */
const graceSteps = 60;

function tooLate(ageMs: number): Inconclusive {
  return new Inconclusive(
    `the job had to be looked at within ${ageMs} ms, and that came too late to tell`,
  );
}

/** Long enough for a busy machine, short beside the shortest boundary of the specification (1 s). */
const realMarginMs = 250;
/** A thousandth of a long wait is precise enough, and a busy machine needs it; never more than 2 s. */
function marginOf(ageMs: number): number {
  return Math.min(Math.max(realMarginMs, ageMs / 1000), 2000);
}

/** How long before its moment a change asks for the endpoint at most, where jobs take no longer than asked for. */
const leadMsMax = 60_000;

/** The quickest of so many answers tells how soon a target answers; the next one may take so many times as long. */
const answersKept = 5;
const answerTimes = 1.5;

/** What a real target may take beyond what the specification dates: a worker's start, a record's visibility. */
const realSlackMs = 5000;

/** A job that has not begun is waited for so long: a worker may have to start first, in milliseconds. */
const workerStartMsMax = 20_000;

/** How much longer a job is waited for where those of other checks keep the workers busy, at most. */
const crowdedMsMax = 30_000;

/** The part of a lease that a real clock needs: it is called before and after waits. */
export type WaitLease = Pick<
  EndpointLease,
  | "crowdedMs"
  | "stoppedMs"
  | "isBusy"
  | "awaitsStart"
  | "isStuck"
  | "waitedInVain"
  | "releaseWhileWaiting"
  | "acquire"
  | "reportWait"
  | "addDelay"
>;

type Grace = Pick<Jobs, "graceMs">;

/** Time that passes by itself: every moment lies between a request and its answer. */
export class RealTime implements EndpointTime {
  readonly virtual = false;
  readonly marginMs = realMarginMs;
  readonly log = new TimeLog();
  readonly #lease: WaitLease;
  readonly #signal: AbortSignal | undefined;
  readonly #jobs: Grace;
  /** How long the last answers took, in milliseconds. */
  #lastAnswersMs: readonly number[] = [];

  /**
   * @param lease called before a wait, so that others may work meanwhile
   * @param jobs says how much longer than asked for a job may take, by all that is known when one is waited for
   */
  constructor(lease: WaitLease, signal?: AbortSignal, jobs: Grace = { graceMs: 0 }) {
    this.#lease = lease;
    this.#signal = signal;
    this.#jobs = jobs;
  }

  get #slackMs(): number {
    return realSlackMs + this.#jobs.graceMs;
  }

  choose<T>({ real }: { readonly real: T }): T {
    return real;
  }

  now(): Interval {
    const nowMs = monotonicNowMs();
    return { earliestMs: nowMs, latestMs: nowMs };
  }

  async pass(ms: number): Promise<void> {
    this.#lease.releaseWhileWaiting();
    await this.#sleep(ms);
  }

  async #sleep(ms: number): Promise<void> {
    const beganMs = monotonicNowMs();
    this.#lease.reportWait(ms);
    await sleep(ms, undefined, { signal: this.#signal });
    this.#lease.addDelay(monotonicNowMs() - beganMs - ms);
  }

  async advance(): Promise<void> {
    await Promise.resolve();
  }

  async settle(): Promise<void> {
    await Promise.resolve();
  }

  async observe(request: RequestToSend): Promise<Observation> {
    const exchange = await request();
    const { sentAtMs, answeredAtMs } = exchange;
    this.#lastAnswersMs = [...this.#lastAnswersMs.slice(1 - answersKept), answeredAtMs - sentAtMs];
    return { exchange, at: { earliestMs: sentAtMs, latestMs: answeredAtMs } };
  }

  async before(
    since: Interval,
    ageMs: number,
    request: RequestToSend,
    { changes = false }: { readonly changes?: boolean } = {},
  ): Promise<Observation> {
    // An answer that takes longer than the margin would always come too late.
    const answerMs = Math.min(ageMs / 4, answerTimes * this.#quickestMs);
    const momentMs = since.earliestMs + ageMs - Math.max(marginOf(ageMs), answerMs);
    if (changes) {
      await this.#reach(momentMs - this.#leadMs(ageMs));
      await this.#lease.acquire();
    }
    await this.#reach(momentMs, changes);
    const seen = await this.observe(request);
    this.log.waitedFor(since, ageMs, seen.exchange);
    if (seen.at.latestMs - since.earliestMs < ageMs) return seen;
    throw tooLate(ageMs);
  }

  async after(since: Interval, ageMs: number, request: RequestToSend): Promise<Observation> {
    await this.#reach(since.latestMs + ageMs + marginOf(ageMs));
    const seen = await this.observe(request);
    this.log.waitedFor(since, ageMs, seen.exchange);
    return seen;
  }

  async until<T>(read: () => Promise<T>, accept: (seen: T) => boolean, withinMs = 0): Promise<T> {
    const { crowdedMs: crowdedBeforeMs, stoppedMs: stoppedBeforeMs, isBusy } = this.#lease;
    const begunAtMs = monotonicNowMs();
    for (let waitMs = 25; ; waitMs = Math.min(500, waitMs * 1.5)) {
      // What is read shows how things stood when it was asked for.
      const nowMs = monotonicNowMs();
      const seen = await read();
      const { crowdedMs, stoppedMs, awaitsStart } = this.#lease;
      // Where none of its jobs is unfinished, the check waits for no job's work.
      const startMs = awaitsStart ? workerStartMsMax : 0;
      const slackMs = isBusy ? Math.max(this.#slackMs, startMs) : realSlackMs;
      // While this process does not run, nothing that comes is seen.
      const endMs = begunAtMs + withinMs + slackMs + stoppedMs - stoppedBeforeMs;
      const extraMs = Math.min(crowdedMs - crowdedBeforeMs, crowdedMsMax);
      if (accept(seen)) return seen;
      if (nowMs >= endMs) this.#lease.waitedInVain(begunAtMs);
      if (nowMs >= endMs + extraMs || this.#lease.isStuck) return seen;
      await this.pass(waitMs);
    }
  }

  get #quickestMs(): number {
    return this.#lastAnswersMs.length === 0 ? 0 : Math.min(...this.#lastAnswersMs);
  }

  /** How long before its moment a change asks for the endpoint: others may hold it for as long as their jobs work. */
  #leadMs(ageMs: number): number {
    const leadMs = Math.max(Math.min(ageMs / 4, leadMsMax), this.#slackMs);
    return Math.min(leadMs, ageMs / 2);
  }

  /** @param keepsHold whether the lock on a shared endpoint is kept meanwhile */
  async #reach(momentMs: number, keepsHold = false): Promise<void> {
    const waitMs = momentMs - monotonicNowMs();
    if (waitMs > 0) await (keepsHold ? this.#sleep(waitMs) : this.pass(waitMs));
  }
}

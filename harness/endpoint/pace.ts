import { setTimeout as sleep } from "node:timers/promises";

import { monotonicNowMs } from "../../client/exchange.ts";
import type { Answer } from "../../client/exchange.ts";
import type { OperationName } from "../../openapi/operations.ts";

/** A target is never asked more slowly than this for its refusals, in requests a second. */
const slowestPerSecond = 1;
/** How much slower the run becomes by each refusal, and how much faster after each time without one. */
const slower = 0.85;
const faster = 1.1;
const fasterEveryMs = 2000;
/** A turn that comes late is made up for by so much, in milliseconds. */
const catchUpMs = 300;
/** The span over which it is counted what the target takes, when it refuses for the first time. */
const countedMs = 1000;
/**
 * What the run has become slower by such a factor for, and slower than such a share of what was taken in a second since,
 * while so few of at least so many requests were refused, is refused at random: of a limit, most requests beyond it are
 * refused, and none once the run is below it.
 */
const atRandom = { slowerTimes: 2, shareOfTakenMax: 0.5, requestsMin: 40, refusedShareMax: 0.2 };
/** Where more of the last ones are refused than this, it is for their haste after all. */
const inHaste = { requests: 40, refusedShareMin: 0.5 };
const outcomesKept = 1000;
/** The first pause after a refusal that names none; it doubles with each more of the same request. */
const firstPauseMs = 250;
/** A Retry-After that asks for more is a mistake, such as a moment in place of a span. */
const retryAfterMsMax = 60_000;

/**
 * How many requests a second the target takes from this run, all operations and endpoints together. Without a limit
 * until the target, or a gateway in front of it, refuses what the limits of its operations allow.
 */
export class Pace {
  /** What the user said beforehand. */
  readonly #given: number | undefined;
  #perSecond: number | undefined;
  #nextAtMs = -Infinity;
  #heldUntilMs = -Infinity;
  #slowedAtMs = -Infinity;
  /** Whether the target was seen to refuse more; false where only the user said so. */
  isConfirmed = false;
  #turns: Promise<unknown> = Promise.resolve();
  #takenAtMs: number[] = [];
  readonly #refusedOperations = new Set<OperationName>();
  readonly #refusedForGood = new Set<OperationName>();
  readonly #looks = new Set<string>();
  /** How the last requests ended since the run became slower. */
  readonly #outcomes: Outcome[] = [];
  /** Whether the target was seen to refuse requests however slowly it is asked. */
  isAtRandom = false;
  /** Called once, when it is known that the target takes no more. */
  onSlowed: ((perSecond: number) => void) | undefined;

  /** @param perSecond what the user says that the target takes; absent: it is found out */
  constructor(perSecond?: number) {
    this.#given = perSecond;
    this.#perSecond = perSecond;
  }

  /** How many requests a second the run sends at most; undefined where nothing limits them. */
  get perSecond(): number | undefined {
    return this.#given !== undefined || this.isConfirmed ? this.#perSecond : undefined;
  }

  /** What is known of how fast the target may be asked, in words; undefined where nothing is. */
  get text(): string | undefined {
    if (this.isAtRandom) return atRandomText;
    const { perSecond } = this;
    return perSecond === undefined ? undefined : paceText(perSecond);
  }

  /** Whether requests have to wait for their turn. */
  get hasTurns(): boolean {
    return this.#perSecond !== undefined;
  }

  /** Whether the target has refused requests with an answer that looks like this. */
  looksLikeRefusal(answer: Answer): boolean {
    return this.#looks.has(lookOf(answer));
  }

  /** Resolves when the next request may be sent, with the milliseconds for which it was held back. */
  async turn(signal?: AbortSignal): Promise<number> {
    if (this.#perSecond === undefined) return 0;
    const askedAtMs = monotonicNowMs();
    const turn = this.#turns.then(async () => this.#take(signal));
    this.#turns = turn.catch(() => undefined);
    await turn;
    return monotonicNowMs() - askedAtMs;
  }

  async #take(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    for (;;) {
      const waitMs = Math.max(this.#nextAtMs, this.#heldUntilMs) - monotonicNowMs();
      if (waitMs <= 0) break;
      await sleep(waitMs, undefined, { signal });
    }
    const nowMs = monotonicNowMs();
    if (this.#perSecond === undefined) return;
    if (nowMs - this.#slowedAtMs > fasterEveryMs) this.#goFaster(nowMs);
    // A turn that came late is made up for: what counts is how many come in a second.
    this.#nextAtMs = Math.max(this.#nextAtMs, nowMs - catchUpMs) + 1000 / this.#perSecond;
  }

  #goFaster(nowMs: number): void {
    if (this.#perSecond === undefined) return;
    this.#slowedAtMs = nowMs;
    this.#perSecond = Math.min(this.#given ?? Infinity, this.#perSecond * faster);
  }

  /** Has to be called with each request that was not refused. @param wasRefused whether it had been before */
  taken(sentAtMs: number, wasRefused: boolean): void {
    this.#note(false);
    if (this.isConfirmed || this.isAtRandom) return;
    this.#takenAtMs.push(sentAtMs);
    if (this.#takenAtMs.length > 10_000) this.#takenAtMs.splice(0, 5000);
    if (!wasRefused || this.#perSecond === undefined || this.#looks.size === 0) return;
    this.isConfirmed = true;
    this.#takenAtMs = [];
    this.onSlowed?.(this.#perSecond);
  }

  /**
   * Waits as long as a refused request has to, and slows the whole run down where not its operation alone is refused.
   * @param times how often this request was refused before
   */
  async backOff(
    { operation, sentAtMs, answer, times }: Refusal,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const pauseMs = retryAfterMsOf(answer) ?? firstPauseMs * 2 ** times;
    this.#note(true);
    if (this.isAtRandom) {
      await sleep(pauseMs, undefined, { signal });
      return;
    }
    this.#refusedOperations.add(operation);
    if (this.#refusedOperations.size > 1 || !isOfTarget(answer)) {
      this.#looks.add(lookOf(answer));
      this.#slowDown(sentAtMs, pauseMs);
      await this.turn(signal);
    } else {
      await sleep(pauseMs, undefined, { signal });
    }
  }

  /** Has to be called where a request was refused however often it was sent: then it was not for its haste. */
  refusedForGood(operation: OperationName): void {
    this.#refusedForGood.add(operation);
    if (!this.isConfirmed) this.#perSecond = this.#given;
  }

  /** Whether requests of an operation were waited for in vain before. */
  givesUpOn(operation: OperationName): boolean {
    return !this.isConfirmed && this.#refusedForGood.has(operation);
  }

  #note(wasRefused: boolean): void {
    const perSecond = this.#perSecond ?? Infinity;
    if (perSecond === Infinity && !this.isAtRandom) return;
    this.#outcomes.push({ wasRefused, perSecond, atMs: monotonicNowMs() });
    if (this.#outcomes.length > outcomesKept) this.#outcomes.shift();
    if (!wasRefused) return;
    if (this.isAtRandom) this.isAtRandom = !this.#isInHaste();
    else if (this.#hasSlowedInVain(perSecond)) this.#goOnAtRandom();
  }

  #hasSlowedInVain(perSecond: number): boolean {
    const { slowerTimes, shareOfTakenMax, requestsMin, refusedShareMax } = atRandom;
    const since = this.#outcomes.findIndex((each) => each.perSecond >= slowerTimes * perSecond);
    if (since === -1) return false;
    const seen = this.#outcomes.slice(since);
    if (seen.length < requestsMin || refusedShareOf(seen) > refusedShareMax) return false;
    return perSecond <= shareOfTakenMax * mostTakenInASecond(seen);
  }

  #isInHaste(): boolean {
    const seen = this.#outcomes.slice(-inHaste.requests);
    return seen.length === inHaste.requests && refusedShareOf(seen) >= inHaste.refusedShareMin;
  }

  /** The run goes on as fast as before; what is refused is only sent again. */
  #goOnAtRandom(): void {
    this.isAtRandom = true;
    this.isConfirmed = false;
    this.#perSecond = this.#given;
    this.#heldUntilMs = -Infinity;
    this.#outcomes.length = 0;
  }

  #slowDown(sentAtMs: number, pauseMs: number): void {
    // What was sent before the run became slower says nothing about how slow it is now.
    if (sentAtMs <= this.#slowedAtMs) return;
    const nowMs = monotonicNowMs();
    const now = this.#perSecond ?? this.#takenAtMs.filter((ms) => ms > nowMs - countedMs).length;
    this.#perSecond = Math.max(slowestPerSecond, slower * now);
    this.#slowedAtMs = nowMs;
    this.#heldUntilMs = Math.max(this.#heldUntilMs, nowMs + pauseMs);
  }
}

/** How a request ended, and when that was known. */
interface Outcome {
  readonly wasRefused: boolean;
  /** How fast the run was. */
  readonly perSecond: number;
  readonly atMs: number;
}

function mostTakenInASecond(seen: readonly Outcome[]): number {
  const takenAtMs = seen.filter(({ wasRefused }) => !wasRefused).map(({ atMs }) => atMs);
  let [first, most] = [0, 0];
  for (const [last, atMs] of takenAtMs.entries()) {
    while (atMs - (takenAtMs[first] ?? atMs) >= countedMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

function refusedShareOf(seen: readonly Outcome[]): number {
  return seen.filter(({ wasRefused }) => wasRefused).length / seen.length;
}

/** A request that was refused for its haste, it seems. */
export interface Refusal {
  readonly operation: OperationName;
  readonly sentAtMs: number;
  readonly answer: Answer;
  readonly times: number;
}

/** What the answers of one gateway have in common. */
function lookOf({ status, headers }: Answer): string {
  return `${status} ${headers["content-type"] ?? ""} ${headers["server"] ?? ""}`;
}

/** A gateway in front of a target answers with a page or nothing, the target with an object. */
function isOfTarget(answer: Answer): boolean {
  return answer.rawText().trimStart().startsWith("{");
}

/** How long a refusal asks to wait (RFC 9110, 10.2.3), in milliseconds; undefined where it does not say. */
export function retryAfterMsOf({ headers }: Answer): number | undefined {
  const value = headers["retry-after"]?.trim();
  if (value === undefined || value === "") return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return ms >= 0 && ms <= retryAfterMsMax ? ms : undefined;
}

/** That a target refuses requests whatever their pace. */
const atRandomText = "the target refuses some requests by 429 or 503, however slowly it is asked";

/** How many requests a second a target takes, in words. */
export function paceText(perSecond: number): string {
  const about = perSecond < 10 ? perSecond.toFixed(1) : perSecond.toPrecision(2);
  return `the target takes about ${Number(about)} requests a second`;
}

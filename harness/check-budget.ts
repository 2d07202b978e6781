import { setMaxListeners } from "node:events";

import type { Exchange } from "../client/exchange.ts";
import { RunningTimeout } from "../client/running-timeout.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import { stoppedReason } from "./outcome.ts";

export interface CheckBudgetLimits {
  /** The total time with a request under way, in milliseconds; requests at the same time count once. */
  readonly answeringMsMax: number;
  /** The size of all its answers together. */
  readonly answerBytesMax: number;
  /** The answers of all checks that are under way, which lie in memory until their checks have ended. */
  readonly held: KeptAnswers;
}

/** How much answers of checks that are under way take, in characters. */
export interface KeptAnswers {
  characters: number;
}

/** Twice what the checks of a conforming target hold at once; with what may come in at once, 150 MB. */
const heldCharactersMax = 80 * 1_048_576;

/**
 * What ends all checks. One that is made for each of them takes longer than all else here, and its stack keeps alive all
 * that called, the check's answers among it.
 */
const ended = new DOMException("the check has ended", "AbortError");

/**
 * Aborts one check when the run is stopped, when the target is gone, or when the target answers so slowly or so much
 * that the check would never end. Only requests use the budget: waiting for time to pass or for the endpoint does not.
 */
export class CheckBudget {
  readonly #controller = new AbortController();
  readonly #limits: CheckBudgetLimits;
  /** Why the check had to end; `undefined` where it did not. */
  reason: string | undefined;
  #bytes = 0;
  #isEnded = false;
  #underWay = 0;
  #leftMs: number;
  #timeout: RunningTimeout | undefined;

  constructor(limits: CheckBudgetLimits) {
    this.#limits = limits;
    this.#leftMs = limits.answeringMsMax;
    // Each wait listens, and a check may have hundreds of them.
    setMaxListeners(0, this.signal);
  }

  /** Fires when the check has to end, at the latest when it has ended. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: string): void {
    if (this.signal.aborted) return;
    this.reason = reason;
    this.#controller.abort(ended);
  }

  /** To be called when a request is sent. */
  sent(): void {
    this.#underWay += 1;
    if (this.#underWay > 1) return;
    this.#timeout = new RunningTimeout(() => {
      const seconds = String(Math.round(this.#limits.answeringMsMax / 1000));
      this.abort(`the target answered so slowly that the check took more than ${seconds} s`);
    }, this.#leftMs);
  }

  /** To be called with the exchange of every request that was sent. */
  answered({ answer }: Exchange): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#leftMs = this.#timeout?.clear() ?? this.#leftMs;
    if (this.#isEnded) return;
    const { held, answerBytesMax } = this.#limits;
    const { length } = answer?.rawText() ?? "";
    this.#bytes += length;
    held.characters += length;
    const tooMuch = "the target's answers to";
    if (this.#bytes > answerBytesMax) {
      this.abort(`${tooMuch} this check came to more than ${mebibytes(answerBytesMax)} MiB`);
    } else if (held.characters > heldCharactersMax) {
      const most = mebibytes(heldCharactersMax);
      this.abort(`${tooMuch} the checks under way came to more than ${most} MiB together`);
    }
  }

  /** Breaks off the requests that the check left under way. */
  end(): void {
    this.#timeout?.clear();
    if (!this.#isEnded) this.#limits.held.characters -= this.#bytes;
    this.#isEnded = true;
    this.#controller.abort(ended);
  }
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1_048_576);
}

/** How long the requests of a check may take beyond its own time on a real clock, in time-outs of one answer. */
const timeoutsPerCheck = 10;
/** Several times what the checks of the largest answers read. */
const answerBytesPerCheck = 64 * 1_048_576;

/** What ends the budget of a check before it is used up. */
interface BudgetEnds {
  /** How long one answer may take. */
  readonly timeoutMs: number;
  readonly stop: AbortSignal | undefined;
  readonly breaker: CircuitBreaker;
  readonly held: KeptAnswers;
}

/**
 * Starts the budget of one check, which a stop of the run or the breaker ends.
 * @param ownMs for how long it may wait beside its requests
 */
export function startBudget(
  ownMs: number,
  { timeoutMs, stop, breaker, held }: BudgetEnds,
): CheckBudget {
  const budget = new CheckBudget({
    answeringMsMax: ownMs + timeoutsPerCheck * timeoutMs,
    answerBytesMax: answerBytesPerCheck,
    held,
  });
  const stopped = (): void => {
    budget.abort(stoppedReason);
  };
  if (stop?.aborted === true) stopped();
  stop?.addEventListener("abort", stopped, { signal: budget.signal });
  const forget = breaker.onTrip((reason) => {
    budget.abort(reason);
  });
  budget.signal.addEventListener("abort", forget, { once: true });
  return budget;
}

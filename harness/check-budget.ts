import { setMaxListeners } from "node:events";

import { monotonicNowMs } from "../client/index.ts";
import type { Exchange } from "../client/index.ts";

/** What one check may use up. */
export interface CheckBudgetLimits {
  /** How long its requests may be under way, all together; those at the same time count once. */
  readonly answeringMsMax: number;
  /** How large all its answers together may be. */
  readonly answerBytesMax: number;
}

/**
 * Ends one check from outside: when the run is stopped, when the target is given up, and when the target answers too
 * slowly or too much for the check ever to end. Waiting for time to go by, or for the endpoint, uses nothing up.
 */
export class CheckBudget {
  readonly #controller = new AbortController();
  readonly #limits: CheckBudgetLimits;
  #reason: string | undefined;
  #bytes = 0;
  #underWay = 0;
  #leftMs: number;
  #busySinceMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: CheckBudgetLimits) {
    this.#limits = limits;
    this.#leftMs = limits.answeringMsMax;
    // Each request listens, and a check may have hundreds under way.
    setMaxListeners(0, this.signal);
  }

  /** Fires when the check is to end, and when it has ended. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the check had to end; `undefined` where it did not. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Ends the check. */
  abort(reason: string): void {
    if (this.signal.aborted) return;
    this.#reason = reason;
    this.#controller.abort();
  }

  /** To be called when a request is sent. */
  sent(): void {
    this.#underWay += 1;
    if (this.#underWay > 1) return;
    this.#busySinceMs = monotonicNowMs();
    this.#timer = setTimeout(
      () => {
        const seconds = String(Math.round(this.#limits.answeringMsMax / 1000));
        this.abort(`the target answered so slowly that the check took more than ${seconds} s`);
      },
      Math.max(0, this.#leftMs),
    );
  }

  /** To be called with what became of a request that was sent. */
  answered({ answer }: Exchange): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) {
      clearTimeout(this.#timer);
      this.#leftMs -= monotonicNowMs() - this.#busySinceMs;
    }
    this.#bytes += answer?.rawText().length ?? 0;
    if (this.#bytes <= this.#limits.answerBytesMax) return;
    const megabytes = String(Math.floor(this.#limits.answerBytesMax / 1_048_576));
    this.abort(`the target's answers to this check came to more than ${megabytes} MiB`);
  }

  /** Breaks off what the check has left under way. */
  end(): void {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }
}

import { setTimeout as sleep } from "node:timers/promises";

import { request } from "undici";

import { monotonicNowMs } from "../../client/exchange.ts";

const pauseMs = 200;
/** A call that takes longer shows that others may wait for longer than an impatient sender does. */
const usualMsMax = 500;

/**
 * Tells whether calls to a server of this process may have waited for long. It calls the server again and again, as a
 * target would, so that its calls wait in the same queue. A busy process takes one connection in each turn of its event
 * loop, so that the queue may still be long when the process is no longer busy.
 */
export class CallLatency {
  readonly #url: string;
  readonly #stopped = new AbortController();
  /** When the call under way was made, or the next one is due, in milliseconds since the epoch. */
  #dueAtMs = monotonicNowMs();
  #longUntilMs = 0;

  /** @param url of the server, which answers it with any status */
  constructor(url: string) {
    this.#url = url;
    void this.#watch();
  }

  /** Whether a call took so long after a moment, in milliseconds since the epoch, that others may have given up. */
  wasLongSince(ms: number): boolean {
    this.#note();
    return this.#longUntilMs > ms;
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      try {
        const { body } = await request(this.#url, { reset: true, signal });
        await body.dump();
        this.#note();
        this.#dueAtMs = monotonicNowMs() + pauseMs;
      } catch {
        // The call stays due and is made again: until one is answered, calls count as long.
      }
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #note(): void {
    const nowMs = monotonicNowMs();
    if (nowMs - this.#dueAtMs >= usualMsMax) this.#longUntilMs = nowMs;
  }
}

import { setTimeout as sleep } from "node:timers/promises";

import { request } from "undici";

import { monotonicNowMs } from "../../client/index.ts";

const pauseMs = 200;
/** What a call takes at most where no call waits for longer than a hasty sender does. */
const usualMsMax = 500;

/**
 * Says whether calls to a server of this process may have waited for long. The server is called again and again as a
 * target would call it: such a call stands in the same line. A process that is busy takes one connection in each of its
 * turns, so that a line may be long when the process is busy no more.
 */
export class CallLatency {
  readonly #url: string;
  readonly #stopped = new AbortController();
  /** When the call under way was made, or the next one is to be, in milliseconds since the epoch. */
  #dueAtMs = monotonicNowMs();
  #longUntilMs = 0;

  /** @param url of the server, which answers it with any status */
  constructor(url: string) {
    this.#url = url;
    void this.#watch();
  }

  /** Whether a call took so long since a moment, in milliseconds since the epoch, that others may have given up. */
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
        // It is still due, and made again: until one is answered, calls take long.
      }
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #note(): void {
    const nowMs = monotonicNowMs();
    if (nowMs - this.#dueAtMs >= usualMsMax) this.#longUntilMs = nowMs;
  }
}

/**
 * How long a holder keeps a worker busy: the long ones must not take the last worker from the short ones. Where each has
 * an endpoint of its own, the long ones are those that move megabytes.
 */
export type LockMode = "short" | "long";

/**
 * A lock on an endpoint. So many holders share it at once; one that needs the endpoint to itself holds it alone.
 * Those who share go before those who want it alone, or long waits could not overlap
 * (docs/decisions/0011-long-waits-overlap.md). Within each kind: first come, first served.
 */
export class SharedExclusiveLock {
  readonly #shares: Readonly<Record<LockMode, Shares>>;
  readonly #exclusiveQueue: (() => void)[] = [];
  #heldExclusively = false;

  /** @param sharesMax how many holders of each mode may share the lock at once */
  constructor(sharesMax: Readonly<Record<LockMode, number>>) {
    this.#shares = {
      short: { free: sharesMax.short, held: 0, queue: [] },
      long: { free: sharesMax.long, held: 0, queue: [] },
    };
  }

  /** Resolves when a share is free. Rejects when the signal fires first. */
  async acquireShared(mode: LockMode, signal?: AbortSignal): Promise<void> {
    await this.#wait(this.#shares[mode].queue, signal);
  }

  /** Gives a share back. */
  releaseShared(mode: LockMode): void {
    const shares = this.#shares[mode];
    shares.held -= 1;
    shares.free += 1;
    this.#admit();
  }

  /** Resolves when nobody else holds it. Rejects when the signal fires first. */
  async acquireExclusive(signal?: AbortSignal): Promise<void> {
    await this.#wait(this.#exclusiveQueue, signal);
  }

  /** Gives the whole lock back. */
  releaseExclusive(): void {
    this.#heldExclusively = false;
    this.#admit();
  }

  async #wait(queue: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void => {
        const index = queue.indexOf(admitted);
        if (index >= 0) queue.splice(index, 1);
        reject(new DOMException("stopped while waiting for the endpoint", "AbortError"));
      };
      const admitted = (): void => {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      };
      signal?.addEventListener("abort", giveUp, { once: true });
      queue.push(admitted);
      this.#admit();
    });
  }

  #admit(): void {
    if (this.#heldExclusively) return;
    const { short, long } = this.#shares;
    for (const shares of [short, long]) {
      while (shares.free > 0) {
        const next = shares.queue.shift();
        if (next === undefined) break;
        shares.free -= 1;
        shares.held += 1;
        next();
      }
    }
    if (short.held + long.held > 0) return;
    const next = this.#exclusiveQueue.shift();
    if (next === undefined) return;
    this.#heldExclusively = true;
    next();
  }
}

/** The shares of one mode. */
interface Shares {
  free: number;
  held: number;
  readonly queue: (() => void)[];
}

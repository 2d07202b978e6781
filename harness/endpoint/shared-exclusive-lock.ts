/**
 * How long a guest keeps a worker busy: the long ones must not take the last worker from the short ones. Where each has
 * an endpoint of its own, the long ones are those that move megabytes.
 */
export type Stay = "short" | "long";

/**
 * Who may make jobs now. Guests share the floor, as many as there are seats; one that needs the endpoint to itself
 * has it alone. Those who share go before those who want it alone, or long waits could not overlap
 * (docs/decisions/0011-long-waits-overlap.md). Within each kind: first come, first served.
 */
export class Floor {
  readonly #rows: Readonly<Record<Stay, Row>>;
  readonly #alone: (() => void)[] = [];
  #takenAlone = false;

  /** @param seats how many guests of each kind may be on the floor at once */
  constructor(seats: Readonly<Record<Stay, number>>) {
    this.#rows = {
      short: { free: seats.short, seated: 0, queue: [] },
      long: { free: seats.long, seated: 0, queue: [] },
    };
  }

  /** Resolves when there is a seat. Rejects when the signal fires first. */
  async join(stay: Stay, signal?: AbortSignal): Promise<void> {
    await this.#wait(this.#rows[stay].queue, signal);
  }

  /** Gives the seat back. */
  leave(stay: Stay): void {
    const row = this.#rows[stay];
    row.seated -= 1;
    row.free += 1;
    this.#admit();
  }

  /** Resolves when the floor is empty and ours. Rejects when the signal fires first. */
  async claim(signal?: AbortSignal): Promise<void> {
    await this.#wait(this.#alone, signal);
  }

  /** Opens the floor to others again. */
  yieldUp(): void {
    this.#takenAlone = false;
    this.#admit();
  }

  async #wait(queue: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void => {
        const place = queue.indexOf(admitted);
        if (place >= 0) queue.splice(place, 1);
        reject(new DOMException("stopped while waiting for a seat", "AbortError"));
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
    if (this.#takenAlone) return;
    const { short, long } = this.#rows;
    for (const row of [short, long]) {
      while (row.free > 0) {
        const next = row.queue.shift();
        if (next === undefined) break;
        row.free -= 1;
        row.seated += 1;
        next();
      }
    }
    if (short.seated + long.seated > 0) return;
    const next = this.#alone.shift();
    if (next === undefined) return;
    this.#takenAlone = true;
    next();
  }
}

/** Seats of one kind. */
interface Row {
  free: number;
  seated: number;
  readonly queue: (() => void)[];
}

/**
 * Who may make jobs now. Guests share the floor, as many as there are seats; one that needs the endpoint to itself
 * has it alone. Those who share go before those who want it alone, or long waits could not overlap (DESIGN.md,
 * decision 5). Within each kind: first come, first served.
 */
export class Floor {
  readonly #seats: number;
  readonly #sharing: (() => void)[] = [];
  readonly #alone: (() => void)[] = [];
  #seated = 0;
  #takenAlone = false;

  /** @param seats how many guests may be on the floor at once */
  constructor(seats: number) {
    this.#seats = seats;
  }

  /** Resolves when there is a seat. Rejects when the signal fires first. */
  async join(signal?: AbortSignal): Promise<void> {
    await this.#wait(this.#sharing, signal);
  }

  /** Gives the seat back. */
  leave(): void {
    this.#seated -= 1;
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
    while (!this.#takenAlone && this.#seated < this.#seats) {
      const next = this.#sharing.shift();
      if (next === undefined) break;
      this.#seated += 1;
      next();
    }
    if (this.#takenAlone || this.#seated > 0) return;
    const next = this.#alone.shift();
    if (next === undefined) return;
    this.#takenAlone = true;
    next();
  }
}

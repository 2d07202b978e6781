/**
 * Who may use a shared endpoint now. A check holds the turn while it acts and gives it up while it only waits, so
 * that long waits overlap and acts do not disturb each other (DESIGN.md, decision 5). First come, first served.
 */
export class Turn {
  readonly #queue: (() => void)[] = [];
  #taken = false;

  /** Resolves when the turn is ours. */
  async take(): Promise<void> {
    if (!this.#taken) {
      this.#taken = true;
      return;
    }
    await new Promise<void>((resolve) => {
      this.#queue.push(resolve);
    });
  }

  /** Runs the task in a turn of its own. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    await this.take();
    try {
      return await task();
    } finally {
      this.release();
    }
  }

  /** Hands the turn to whoever has waited longest. */
  release(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }
}

/** How many may be busy at once: a turn with several places. */
export class Places {
  readonly #queue: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs the task when a place is free. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else {
      await new Promise<void>((resolve) => {
        this.#queue.push(resolve);
      });
    }
    try {
      return await task();
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

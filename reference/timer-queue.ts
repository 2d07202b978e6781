/** A scheduled action that can be called off. Cancelling twice, or after it ran, does nothing. */
export interface Timer {
  /** When the action is due. */
  readonly atMs: number;
  cancel(): void;
}

/** One entry of the queue; `index` is its place in the heap, -1 once it has left. */
interface Entry extends Timer {
  readonly sequence: number;
  readonly action: () => void;
  index: number;
}

/**
 * Actions in order of time, then of scheduling: a binary heap in which an entry knows its place,
 * so that a cancelled timer is freed at once and not only when its time comes.
 */
export class TimerQueue {
  readonly #heap: Entry[] = [];
  #sequence = 0;

  get size(): number {
    return this.#heap.length;
  }

  get nextAtMs(): number | undefined {
    return this.#heap[0]?.atMs;
  }

  add(atMs: number, action: () => void): Timer {
    this.#sequence += 1;
    const entry: Entry = {
      atMs,
      sequence: this.#sequence,
      action,
      index: this.#heap.length,
      cancel: () => this.#remove(entry),
    };
    this.#heap.push(entry);
    this.#rise(entry);
    return entry;
  }

  /** Takes out the first action due at or before `untilMs`. */
  takeDue(untilMs: number): { readonly atMs: number; readonly action: () => void } | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.atMs > untilMs) return undefined;
    this.#remove(first);
    return first;
  }

  clear(): void {
    for (const entry of this.#heap) entry.index = -1;
    this.#heap.length = 0;
  }

  #remove(entry: Entry): void {
    const index = entry.index;
    if (index < 0) return;
    entry.index = -1;

    const last = this.#heap.pop();
    if (last === undefined || last === entry) return;
    this.#place(last, index);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(entry: Entry): void {
    while (entry.index > 0) {
      const parent = this.#heap[(entry.index - 1) >> 1];
      if (parent === undefined || isBefore(parent, entry)) return;
      this.#swap(parent, entry);
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const left = this.#heap[2 * entry.index + 1];
      const right = this.#heap[2 * entry.index + 2];
      const child =
        right !== undefined && left !== undefined && isBefore(right, left) ? right : left;
      if (child === undefined || isBefore(entry, child)) return;
      this.#swap(entry, child);
    }
  }

  #swap(upper: Entry, lower: Entry): void {
    const upperIndex = upper.index;
    this.#place(upper, lower.index);
    this.#place(lower, upperIndex);
  }

  #place(entry: Entry, index: number): void {
    entry.index = index;
    this.#heap[index] = entry;
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.sequence < other.sequence);
}

/** Counts how often something happened to each key, for faults that show at the n-th time. */
export class Counts<Key> {
  readonly #counts = new Map<Key, number>();

  /** Adds one to the count of a key and returns the new count. */
  add(key: Key): number {
    const count = this.of(key) + 1;
    this.#counts.set(key, count);
    return count;
  }

  of(key: Key): number {
    return this.#counts.get(key) ?? 0;
  }
}

/** How often something happened to each of some things, for faults of the n-th time. */
export class Counts<Key> {
  readonly #counts = new Map<Key, number>();

  /** Counts once more, and answers how often that makes. */
  add(key: Key): number {
    const count = this.of(key) + 1;
    this.#counts.set(key, count);
    return count;
  }

  of(key: Key): number {
    return this.#counts.get(key) ?? 0;
  }
}

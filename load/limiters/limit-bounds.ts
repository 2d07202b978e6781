/**
 * The bounds that the answers of a trace set to a limit, for each step: admitted requests set the
 * least, refused ones the most.
 */
export class LimitBounds {
  readonly #atLeast = new Map<number, number>();
  readonly #atMost = new Map<number, number>();
  /** With a limit from `least` to `most` every answer is explained; where `least` is more than `most`, with none. */
  least = 1;
  most = Infinity;

  atLeast(step: number, limit: number): void {
    if (limit > (this.#atLeast.get(step) ?? 0)) this.#atLeast.set(step, limit);
    if (limit > this.least) this.least = limit;
  }

  atMost(step: number, limit: number): void {
    if (limit < (this.#atMost.get(step) ?? Infinity)) this.#atMost.set(step, limit);
    if (limit < this.most) this.most = limit;
  }

  get isMet(): boolean {
    return this.least <= this.most;
  }

  /** How many requests a limit gets wrong, summed over the steps. */
  differences(limit: number): number {
    let sum = 0;
    for (const least of this.#atLeast.values()) sum += Math.max(0, least - limit);
    for (const most of this.#atMost.values()) sum += Math.max(0, limit - most);
    return sum;
  }

  /** The limit that gets the fewest requests wrong; of several, the one nearest to `wanted`. */
  bestLimit(wanted: number): number {
    if (this.isMet) return Math.min(this.most, Math.max(this.least, wanted));
    return firstOf(
      Math.max(1, this.most),
      this.least - 1,
      (limit) => this.differences(limit + 1) >= this.differences(limit),
    );
  }
}

/**
 * The first whole number from `least` to `most` for which `holds` is true, as it is for all after it; `most` + 1 where
 * there is none.
 */
export function firstOf(least: number, most: number, holds: (value: number) => boolean): number {
  let low = least;
  let high = most + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The total length of intervals of which each ends no earlier than those before it; where they overlap it counts once. */
export class CoveredTime {
  readonly #apart: { fromMs: number; toMs: number }[] = [];
  ms = 0;

  add(fromMs: number, toMs: number): void {
    let beganMs = fromMs;
    for (let last = this.#apart.at(-1); last !== undefined && last.toMs >= beganMs;) {
      this.ms -= last.toMs - last.fromMs;
      beganMs = Math.min(beganMs, last.fromMs);
      this.#apart.pop();
      last = this.#apart.at(-1);
    }
    this.#apart.push({ fromMs: beganMs, toMs });
    this.ms += toMs - beganMs;
  }
}

/** One row of the table: the median, the least and the greatest of the measured values. */
export function row(what: string, values: readonly number[], unit: string): readonly string[] {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return [what, ...[middle, sorted[0] ?? 0, sorted.at(-1) ?? 0].map(rounded), unit];
}

/** Rounds to a whole number from 100 on, and to three significant digits below. */
function rounded(value: number): string {
  return String(value >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
}

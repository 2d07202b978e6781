/** One line of the table: the median, the least and the most of what was measured. */
export function row(what: string, values: readonly number[], unit: string): readonly string[] {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return [what, ...[middle, sorted[0] ?? 0, sorted.at(-1) ?? 0].map(rounded), unit];
}

/** Three digits that count. */
function rounded(value: number): string {
  return String(value >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
}

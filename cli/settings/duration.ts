const msPerUnit: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

/** How a duration is written: `500ms`, `30s`, `2m`, `1.5h`, `7d`. */
export const durationPattern = String.raw`^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$`;

/** As a duration, but not of 0. */
export const positiveDurationPattern = String.raw`^(?!0+(?:\.0+)?[a-z])${durationPattern.slice(1)}`;

/** As a duration, or `full`: no limit. */
export const budgetPattern = `^full$|${durationPattern}`;

/** A duration, or two with a dash between them. */
export const latencyPattern = `${durationPattern.slice(0, -1)}(?:-${durationPattern.slice(1, -1)})?$`;

/**
 * Milliseconds of a text that keeps to `budgetPattern`; `full` is `Number.MAX_SAFE_INTEGER`.
 * @throws RangeError when the text is no duration: the settings schema has refused it before.
 */
export function parseDurationMs(text: string): number {
  if (text === "full") return Number.MAX_SAFE_INTEGER;
  const [, amount, unit] = new RegExp(durationPattern).exec(text) ?? [];
  const unitMs = msPerUnit.get(unit ?? "");
  if (amount === undefined || unitMs === undefined) {
    throw new RangeError(`${JSON.stringify(text)} is not a duration`);
  }
  return Math.round(Number(amount) * unitMs);
}

import { unlimitedBudgetMs } from "../../harness/time-budget.ts";

const msPerUnit: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

/** The form of a duration: `500ms`, `30s`, `2m`, `1.5h`, `7d`. */
export const durationPattern = String.raw`^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$`;

/** The same, without 0. */
export const positiveDurationPattern = String.raw`^(?!0+(?:\.0+)?[a-z])${durationPattern.slice(1)}`;

/** A duration, or `full` for no limit. */
export const budgetPattern = `^full$|${durationPattern}`;

/** A duration, or a range of two durations with a dash between them. */
export const latencyPattern = `${durationPattern.slice(0, -1)}(?:-${durationPattern.slice(1, -1)})?$`;

/** Does what `parseDurationMs` does; a duration that is absent stays so. */
export function durationMsIfGiven(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDurationMs(text);
}

/**
 * Returns the milliseconds of a text that matches `budgetPattern`; `full` is `Number.MAX_SAFE_INTEGER`.
 * @throws RangeError when the text is no duration, which the settings schema normally refuses before.
 */
export function parseDurationMs(text: string): number {
  if (text === "full") return unlimitedBudgetMs;
  const [, amount, unit] = new RegExp(durationPattern).exec(text) ?? [];
  const unitMs = msPerUnit.get(unit ?? "");
  if (amount === undefined || unitMs === undefined) {
    throw new RangeError(`${JSON.stringify(text)} is not a duration`);
  }
  return Math.round(Number(amount) * unitMs);
}

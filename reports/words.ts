/** Formats a count with its noun: 1 check, 2 checks. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Joins a list: "a", "a and b", "a, b and c". */
export function listText(items: readonly string[]): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} and ${last}`;
}

/** Lists the first few items, and then how many more there are: "a, b and 3 more". */
export function firstText(items: readonly string[], countMax: number, separator = ", "): string {
  const more = items.length - countMax;
  const shown = items.slice(0, countMax).join(separator);
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** Formats a duration for people: 350 ms, 1.2 s, 2 min, 2 min 5 s, 24 h, 1 h 5 min. */
export function durationText(durationMs: number): string {
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  const seconds = durationMs / 1000;
  if (seconds < 60) return `${Number(seconds.toFixed(1))} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return withRest(`${minutes} min`, Math.floor(seconds % 60), "s");
  return withRest(`${Math.floor(minutes / 60)} h`, minutes % 60, "min");
}

function withRest(text: string, rest: number, unit: string): string {
  return rest === 0 ? text : `${text} ${rest} ${unit}`;
}

/** Lists counts by operation, the largest first: `runsync 2000, run 1000`. */
export function byOperationText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .toSorted(([, one], [, other]) => other - one)
    .map(([operation, count]) => `${operation} ${count}`)
    .join(", ");
}

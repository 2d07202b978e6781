import type { Turn } from "../../harness/runner.ts";
import type { LoadCheck } from "./check.ts";
import type { Situation } from "./situation.ts";

/**
 * In which order checks run. Each turn begins when the one before is over and cleaned up after; its lanes run side by
 * side. Where all share one endpoint, those that leave the workers free come first, each in a turn of its own, then
 * what uses up one operation each, beside each other: cancel, with its jobs that keep the workers busy, among them.
 */
export function turnsOf(
  checks: readonly LoadCheck[],
  { makesEndpoints }: Pick<Situation, "makesEndpoints">,
): readonly Turn<LoadCheck>[] {
  if (makesEndpoints) return [[checks]];
  const alone = checks.filter(({ usesUp }) => usesUp === undefined);
  const operations = new Set(checks.flatMap(({ usesUp }) => usesUp ?? []));
  const lanes = [...operations].map((operation) =>
    checks.filter(({ usesUp }) => usesUp === operation),
  );
  return [...alone.map((check) => [[check]]), ...(lanes.length === 0 ? [] : [lanes])];
}

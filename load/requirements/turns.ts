import type { Turn } from "../../harness/runner.ts";
import type { LoadCheck } from "./check.ts";
import type { Situation } from "./situation.ts";
import { windowMs } from "../../openapi/operations.ts";

/**
 * The order in which checks run. A turn begins when the one before is over and cleaned up; its lanes run side by side.
 * On a shared endpoint, checks that use up no operation and leave the workers free come first, each in its own turn.
 * The others follow in one turn, a lane for each operation; one is cancel, whose jobs keep the workers busy.
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

/** The most requests that a bucket of the limit gives back in that time. */
export function refilledIn(ms: number, limit: number): number {
  return ms === 0 ? 0 : Math.ceil((limit * ms) / windowMs) + 1;
}

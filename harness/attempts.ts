import type { CheckAttempt, Verdict } from "../reports/model.ts";

/** How often a check is run at most: an undecided one is asked twice more. */
export const attemptsMax = 3;

interface Attempt extends Omit<CheckAttempt, "reason"> {
  readonly reason?: string;
  readonly attempts?: readonly CheckAttempt[];
}

/** The result of a later attempt, with the undecided ones before it. */
export function withEarlier<Result extends Attempt>(earlier: Attempt, later: Result): Result {
  const { verdict, reason = "", durationMs, attempts = [] } = earlier;
  return { ...later, attempts: [...attempts, { verdict, reason, durationMs }] };
}

/** Whether a stop cut an attempt off: what it says then counts for nothing beside an earlier one. */
export function isCutOff(
  { verdict }: { readonly verdict: Verdict },
  signal: AbortSignal | undefined,
): boolean {
  return signal?.aborted === true && (verdict === "inconclusive" || verdict === "not-run");
}

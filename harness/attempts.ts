import type { CheckAttempt } from "../reports/model.ts";
import type { Verdict } from "../reports/verdict.ts";

/** How often a check is run at most: one that was inconclusive is run up to twice more. */
export const attemptsMax = 3;

interface Attempt extends Omit<CheckAttempt, "reason"> {
  readonly reason?: string;
  readonly attempts?: readonly CheckAttempt[] | undefined;
}

/** Why what passed was tried again. */
const besideUndecided = "another requirement of its check was not decided";

/** Returns the result of a later attempt, with the inconclusive attempts before it. */
export function withEarlier<Result extends Attempt>(earlier: Attempt, later: Result): Result {
  const { verdict, durationMs, attempts = [] } = earlier;
  const { reason = verdict === "pass" ? besideUndecided : "" } = earlier;
  return { ...later, attempts: [...attempts, { verdict, reason, durationMs }] };
}

/** Whether a stop of the run cut this attempt off; the result of an earlier one then counts instead. */
export function isCutOff(
  { verdict }: { readonly verdict: Verdict },
  signal: AbortSignal | undefined,
): boolean {
  return signal?.aborted === true && (verdict === "inconclusive" || verdict === "not-run");
}

import type { CheckAttempt } from "../reports/model.ts";

/** An undecided check is tried again at most so often. */
export const triesAgainMax = 2;

interface Tried {
  readonly verdict: CheckAttempt["verdict"];
  readonly reason?: string;
  readonly durationMs: number;
  readonly attempts?: readonly CheckAttempt[];
}

/** The result of a later try, with the earlier ones among its attempts. */
export function withEarlier<Result extends Tried>(earlier: Tried, later: Result): Result {
  const { verdict, reason = "", durationMs, attempts = [] } = earlier;
  return { ...later, attempts: [...attempts, { verdict, reason, durationMs }] };
}

/** Tries again, up to twice, where a result is inconclusive. What a stop cut off counts for nothing. */
export async function untilDecided<T extends { readonly check: Tried }>(
  first: T,
  tryAgain: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  let last = first;
  for (let tries = 0; tries < triesAgainMax; tries += 1) {
    if (last.check.verdict !== "inconclusive" || signal?.aborted === true) break;
    const next = await tryAgain();
    last = laterOf(last, next, signal);
  }
  return last;
}

/** The later of two findings with its attempts; the earlier one where a stop cut the later off. */
export function laterOf<T extends { readonly check: Tried }>(
  earlier: T,
  later: T,
  signal: AbortSignal | undefined,
): T {
  if (signal?.aborted === true && later.check.verdict === "inconclusive") return earlier;
  return { ...later, check: withEarlier(earlier.check, later.check) };
}

import { attemptsMax, isCutOff, withEarlier } from "../harness/runner.ts";
import type { EngineFinding } from "./result.ts";

/** Tries again, up to twice, where a result is inconclusive. An attempt that a stop cut off is dropped. */
export async function untilDecided<T extends Pick<EngineFinding, "check" | "beside">>(
  first: T,
  tryAgain: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  let last = first;
  for (let attempt = 2; attempt <= attemptsMax; attempt += 1) {
    if (last.check.verdict !== "inconclusive" || signal?.aborted === true) break;
    const next = await tryAgain();
    last = laterOf(last, next, signal);
  }
  return last;
}

/**
 * The later of two findings, with the earlier as an attempt and what only the earlier saw beside it; the earlier one
 * where a stop cut the later off.
 * @param whyAgain why it was tried again although it had been decided
 */
export function laterOf<T extends Pick<EngineFinding, "check" | "beside">>(
  earlier: T,
  later: T,
  signal: AbortSignal | undefined,
  whyAgain?: string,
): T {
  if (isCutOff(later.check, signal)) return earlier;
  const { beside } = later.beside.length > 0 ? later : earlier;
  const { reason = whyAgain } = earlier.check;
  const tried = { ...earlier.check, ...(reason !== undefined && { reason }) };
  return { ...later, beside, check: withEarlier(tried, later.check) };
}

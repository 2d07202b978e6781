import type { Tier } from "../../scenarios/tiers.ts";
import type { EngineFinding } from "../result.ts";

/** So many rates k6 sends side by side when it is asked again. */
const ratesAtOnce = 3;

/** Lets k6 send the rates of some tiers; `name` is that of its dashboard. One finding for each tier, in their order. */
export type Ask = (tiers: readonly Tier[], name: string) => Promise<readonly EngineFinding[]>;

/**
 * Asks once more, a few rates at a time, where k6 left a tier undecided: on a busy machine it cannot
 * keep the schedule of all of them together. What it says the second time stands, whatever it is.
 * @param first what it said of the tiers, in their order.
 */
export async function askedAgain(
  tiers: readonly Tier[],
  first: readonly EngineFinding[],
  { ask, signal }: { readonly ask: Ask; readonly signal?: AbortSignal | undefined },
): Promise<readonly EngineFinding[]> {
  const findings = [...first];
  const undecided = tiers.filter((_, at) => first[at]?.check.verdict === "inconclusive");
  for (let at = 0; at < undecided.length; at += ratesAtOnce) {
    if (signal?.aborted === true) break;
    const few = undecided.slice(at, at + ratesAtOnce);
    const again = await ask(few, `rate-again-${at / ratesAtOnce + 1}`);
    for (const [index, tier] of few.entries()) {
      const finding = again[index];
      if (finding !== undefined) findings[tiers.indexOf(tier)] = finding;
    }
  }
  return findings;
}

import type { Tier } from "../../openapi/operations.ts";
import type { EngineFinding } from "../result.ts";
import { laterOf } from "../tries.ts";
import type { RateMode } from "./rate-plan.ts";

/** How many rates k6 sends side by side in the second try, and in the third. */
const ratesAtOnce = [3, 1] as const;

/**
 * Lets k6 send rates of some tiers; `name` is that of its dashboard, and without a mode it is that of the run. One
 * finding for each tier, in their order.
 */
export type SendRates = (
  tiers: readonly Tier[],
  name: string,
  mode?: RateMode,
) => Promise<readonly EngineFinding[]>;

interface Asking {
  readonly ask: SendRates;
  readonly signal?: AbortSignal | undefined;
  /** Whether every rate has an endpoint of its own; else none is sent beside another. */
  readonly areApart: boolean;
}

/**
 * Lets k6 send again the rates of tiers that it left undecided, a few at a time, and then one by one: on a busy
 * machine it cannot keep the schedule of all of them together. The last verdict stands, whatever it is.
 * @param first the findings of the first try, in the order of the tiers.
 */
export async function retryUndecidedRates(
  tiers: readonly Tier[],
  first: readonly EngineFinding[],
  { ask, signal, areApart }: Asking,
): Promise<readonly EngineFinding[]> {
  const findings = [...first];
  let asked = 0;
  for (const atOnce of ratesAtOnce) {
    const undecided = tiers.filter((_, at) => findings[at]?.check.verdict === "inconclusive");
    for (const few of inGroups(undecided, areApart ? atOnce : 1)) {
      if (signal?.aborted === true) return findings;
      asked += 1;
      const again = await ask(few, `rate-again-${asked}`);
      for (const [index, next] of again.entries()) {
        const at = tiers.findIndex((tier) => tier === few[index]);
        const before = findings[at] ?? next;
        findings[at] = laterOf(before, next, signal);
      }
    }
  }
  return findings;
}

function inGroups(tiers: readonly Tier[], size: number): readonly (readonly Tier[])[] {
  const count = Math.ceil(tiers.length / size);
  return Array.from({ length: count }, (_, at) => tiers.slice(at * size, (at + 1) * size));
}

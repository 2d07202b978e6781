import type { RequirementResult } from "../../harness/judge.ts";
import type { Tier } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { EngineFinding } from "../result.ts";
import { laterOf } from "../tries.ts";
import type { SendRates } from "./retry-rates.ts";

interface Confirming {
  /** What the probe has found. */
  readonly probed: readonly RequirementResult[];
  /** What autocannon has found, which confirms the probe where k6 sent nothing. */
  readonly bursts: readonly EngineFinding[];
  readonly tiers: readonly Tier[];
  /** Sends all rates of some tiers; it leaves out what may not be sent any more, or would take too long. */
  readonly ask: SendRates;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lets k6 send all rates of those tiers of which its one rate, or the burst, says something else than the probe: pass
 * where that says fail, or fail where it says pass. The later finding of k6 stands, and the earlier beside it as an
 * attempt.
 * @param found what k6 has found at one rate, by the tier.
 */
export async function askAllWhereTheyDisagree(
  found: ReadonlyMap<Tier, EngineFinding>,
  { probed, bursts, tiers, ask, signal }: Confirming,
): Promise<ReadonlyMap<Tier, EngineFinding>> {
  const disagreeing = tiers.filter((tier) => {
    const finding = found.get(tier) ?? bursts.find(({ check }) => isOf(check, tier));
    return finding?.check.verdict === oppositeOf(probed, tier.rate);
  });
  if (disagreeing.length === 0 || signal?.aborted === true) return found;
  const all = new Map(found);
  for (const later of await ask(disagreeing, "rate-all")) {
    const tier = disagreeing.find((each) => isOf(later.check, each));
    if (tier === undefined) continue;
    const earlier = found.get(tier);
    const stands = earlier === undefined ? later : laterOf(earlier, later, signal, contradiction);
    all.set(tier, stands);
  }
  return all;
}

const contradiction = "at one rate, which the probe contradicts";

function isOf({ covers }: Pick<RequirementResult, "covers">, { rate }: Tier): boolean {
  return covers.includes(rate);
}

/** The verdict that would contradict the probe's on a requirement; "none" where it decided nothing. */
function oppositeOf(
  probed: readonly RequirementResult[],
  requirement: RequirementId,
): "pass" | "fail" | "none" {
  const own = probed.filter(({ covers }) => covers.includes(requirement));
  if (own.some(({ verdict }) => verdict === "fail")) return "pass";
  return own.some(({ verdict }) => verdict === "pass") ? "fail" : "none";
}

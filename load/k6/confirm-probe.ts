import type { RequirementResult } from "../../harness/judge.ts";
import type { Tier } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { EngineFinding } from "../result.ts";
import { laterOf } from "../tries.ts";
import type { SendRates } from "./retry-rates.ts";

interface Confirming {
  /** What the probe has found. */
  readonly probed: readonly RequirementResult[];
  readonly tiers: readonly Tier[];
  /** Sends all rates of some tiers; it leaves out what may not be sent any more, or would take too long. */
  readonly ask: SendRates;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lets k6 send all rates of those tiers of which the one rate says something else than the probe: pass where that says
 * fail, or fail where it says pass. The later finding stands, and the earlier beside it as an attempt.
 */
export async function askAllWhereTheyDisagree(
  findings: readonly EngineFinding[],
  { probed, tiers, ask, signal }: Confirming,
): Promise<readonly EngineFinding[]> {
  const disagreeing = tiers.filter((tier, at) => {
    const verdict = findings[at]?.check.verdict;
    return (verdict === "pass" || verdict === "fail") && verdict === oppositeOf(probed, tier.rate);
  });
  if (disagreeing.length === 0 || signal?.aborted === true) return findings;
  const asked = await ask(disagreeing, "rate-all");
  return findings.map((finding) => {
    const later = asked.find(({ check }) => check.name === finding.check.name);
    return later === undefined ? finding : laterOf(finding, later, signal, contradiction);
  });
}

const contradiction = "at one rate, which the probe contradicts";

/** The verdict that would contradict the probe's on a requirement; absent where it decided nothing. */
function oppositeOf(
  probed: readonly RequirementResult[],
  requirement: RequirementId,
): "pass" | "fail" | undefined {
  const own = probed.filter(({ covers }) => covers.includes(requirement));
  if (own.some(({ verdict }) => verdict === "fail")) return "pass";
  return own.some(({ verdict }) => verdict === "pass") ? "fail" : undefined;
}

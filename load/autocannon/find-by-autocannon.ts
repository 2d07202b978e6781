import { ControlError } from "../../client/control-client.ts";
import type { TargetAccess } from "../../harness/endpoint/endpoint-source.ts";
import type { RequirementResult } from "../../harness/judge.ts";
import { reasonOfStop } from "../../harness/outcome.ts";
import type { Tier } from "../../openapi/operations.ts";
import type { EngineEndpoints } from "../engine-endpoints.ts";
import { obstacleToEngine } from "../engine-obstacles.ts";
import { burstsInTurn } from "../engines-plan.ts";
import { usedBy } from "../k6/rate-plan.ts";
import type { LoadSupervision } from "../meter.ts";
import { notRunByEngine } from "../result.ts";
import type { EngineFinding, EngineFindings } from "../result.ts";
import { neededOf } from "../sent-load.ts";
import { untilDecided } from "../tries.ts";
import { headerOf as autocannonHeader, noBursts } from "./judge-bursts.ts";
import { burstCost, runAutocannonRate } from "./rate.ts";

/** Judges tiers by bursts of autocannon, one after the other. */
export async function findByAutocannon(
  runnable: readonly Tier[],
  endpoints: EngineEndpoints,
  { target, signal, meter }: LoadSupervision & { readonly target: TargetAccess },
): Promise<EngineFindings> {
  const obstacle = obstacleToEngine("autocannon", endpoints.rules, target.baseUrl);
  if (obstacle !== undefined) {
    const notRun = runnable.map((tier) => notRunByEngine(autocannonHeader(tier), obstacle));
    return { findings: [], notRun };
  }
  const findings: EngineFinding[] = [];
  const left: RequirementResult[] = [];
  for (const tier of endpoints.areFresh ? runnable : burstsInTurn(runnable)) {
    if (signal?.aborted === true) break;
    const tooMuch = meter?.whyTooMuch?.(neededOf(burstCost(tier, 2)));
    if (tooMuch !== undefined) {
      left.push(notRunByEngine(autocannonHeader(tier), tooMuch));
      continue;
    }
    const freshClient = (): ReturnType<EngineEndpoints["next"]> =>
      endpoints.nextRestedFor(tier.operation, usedBy(tier), signal);
    const ask = async (): Promise<EngineFinding> => {
      try {
        return await runAutocannonRate(tier, { freshClient, signal, meter });
      } catch (error) {
        // A target that is gone makes no endpoints: then the stop is the reason, as it is where it broke
        // the silence before a burst.
        if (error instanceof ControlError && (await meter?.isThere()) !== false)
          return noBursts(tier, error.message);
        if (signal?.aborted !== true) throw error;
        return noBursts(tier, reasonOfStop(signal));
      }
    };
    findings.push(await untilDecided(await ask(), ask, signal));
  }
  return { findings, notRun: left };
}

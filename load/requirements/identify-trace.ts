import { identify } from "../limiters/identify.ts";
import type { Identification } from "../limiters/identify.ts";
import { burstAfterSilence, tellingLimit } from "../limiters/trace.ts";
import { windowMs } from "../../openapi/operations.ts";
import type { LimitTrace } from "./trace.ts";

/** The part of a trace that another burst needs. */
type Going = Pick<LimitTrace, "isVirtual" | "isComplete" | "tier" | "nowMs" | "step">;

export function identifyTrace({
  requests,
  tier: { limit },
  clockGrainMs,
}: Pick<LimitTrace, "requests" | "tier" | "clockGrainMs">): Identification {
  return identify(requests, { limit, windowMs }, clockGrainMs);
}

/**
 * Identifies the limiter of a trace. On a real clock a window may have ended during the last burst, which leaves
 * the limit open by a request or two: then one more burst is sent after another silence.
 */
export async function identifyWithExtraBurst(
  trace: Going,
  identifies: () => Identification | Promise<Identification>,
): Promise<Identification> {
  const first = await identifies();
  const { limit } = trace.tier;
  const mayTell = !trace.isVirtual && trace.isComplete && limit >= tellingLimit;
  if (!mayTell || !isOpen(first)) return first;
  await trace.step(burstAfterSilence(trace.nowMs, limit, windowMs));
  return identifies();
}

/** Whether what remains leaves a choice of limits or of kinds. */
function isOpen({ remaining }: Identification): boolean {
  return remaining.length > 1 || remaining.some(({ limits: { least, most } }) => least < most);
}

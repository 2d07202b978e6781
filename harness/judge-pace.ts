import { atRandomText, paceText } from "./endpoint/pace.ts";
import type { Pace } from "./endpoint/pace.ts";
import type { Judgement } from "./verdict.ts";

/** Requests that waited longer for their turn may keep a held answer from coming in time. */
const pacedMsMax = 5000;

/** The id of the cause that the target takes fewer requests a second than a check would need. */
export const paceId = "pace";

/**
 * Not decided where the target takes no more requests a second and that may have changed what was seen; the judgement
 * as it is elsewhere.
 */
export function judgePace(
  judgement: Judgement,
  { pacedMs, refusals }: { readonly pacedMs: number; readonly refusals: number },
  { perSecond, isAtRandom }: Pace,
): Judgement {
  const { verdict, harnessError, reason = "" } = judgement;
  const known = knownOf(perSecond, isAtRandom);
  if (known === undefined || harnessError !== undefined || verdict === "pass") return judgement;
  // A request that was sent again came later than the check meant, and after others.
  const isOutOfOrder = verdict === "fail" && refusals > 0;
  // An answer that is held until the check goes on is late where its next requests wait for their turn.
  const isLate = pacedMs > pacedMsMax && reason.includes("no whole answer within");
  const isUndecided = / answered (?:429|503)\b|^the harness itself was /.test(reason);
  if (!isOutOfOrder && !isLate && !(verdict === "inconclusive" && isUndecided)) return judgement;
  const why = `${known}, so this proves nothing: ${reason}`;
  return { verdict: "inconclusive", reason: why, cause: paceId };
}

function knownOf(perSecond: number | undefined, isAtRandom: boolean): string | undefined {
  if (isAtRandom) return atRandomText;
  return perSecond === undefined ? undefined : paceText(perSecond);
}

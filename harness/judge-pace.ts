import type { Pace } from "./endpoint/pace.ts";
import type { Judgement } from "./verdict.ts";
import type { Session } from "./session.ts";

/** Requests that waited longer for their turn may keep a held answer from coming in time. */
const pacedMsMax = 5000;

/** The id of the cause that the target takes fewer requests a second than a check would need. */
export const paceId = "pace";

/** How the target's pace held up a check. */
interface Haste {
  /** For how many milliseconds its requests together were held back. */
  readonly pacedMs: number;
  /** How many of its requests were refused, and sent again. */
  readonly refusals: number;
  /** Whether no other check ran meanwhile. */
  readonly isAlone: boolean;
}

/**
 * Not decided where the target takes no more requests a second, or no more beside those of other checks, and that may
 * have changed what was seen; the judgement as it is elsewhere.
 */
export function judgePace(
  judgement: Judgement,
  { pacedMs, refusals, isAlone }: Haste,
  { text: known }: Pace,
): Judgement {
  const { verdict, harnessError, reason = "" } = judgement;
  if (harnessError !== undefined || verdict === "pass") return judgement;
  // A request that was sent again came later than the check meant, and after others.
  const isOutOfOrder = verdict === "fail" && refusals > 0;
  if (known === undefined) {
    return isOutOfOrder && !isAlone ? undecided(`${besideOthers}: ${reason}`) : judgement;
  }
  if (!isOutOfOrder && !isLateByPace(reason, pacedMs) && !isUndecidedByPace(judgement)) {
    return judgement;
  }
  return { ...undecided(`${known}, so this proves nothing: ${reason}`), cause: paceId };
}

/** An answer that is held until the check goes on is late where its next requests wait for their turn. */
function isLateByPace(reason: string, pacedMs: number): boolean {
  return pacedMs > pacedMsMax && reason.includes("no whole answer within");
}

function isUndecidedByPace({ verdict, reason = "" }: Judgement): boolean {
  return (
    verdict === "inconclusive" && / answered (?:429|503)\b|^the harness itself was /.test(reason)
  );
}

const besideOthers =
  "the target refused some of its requests by 429 or 503 beside those of other checks, so it has to run alone";

function undecided(reason: string): Judgement {
  return { verdict: "inconclusive", reason };
}

/** Learns how fast the target may be asked, which is known best at the end of a run. */
export function learnPace({ discovery, pace }: Pick<Session, "discovery" | "pace">): void {
  const { text, isAtRandom, isConfirmed } = pace;
  if (text === undefined || !(isAtRandom || isConfirmed)) return;
  const adapted = isAtRandom ? "what is refused is sent again" : "the whole run asks no faster";
  discovery.learn({ id: paceId, topic: "pace", text, adapted, seen: [] });
}

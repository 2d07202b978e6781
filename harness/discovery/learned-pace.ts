import { atRandomText, paceText } from "../endpoint/pace.ts";
import { paceId } from "../judge-pace.ts";
import type { Session } from "../session.ts";

/** Learns how fast the target may be asked, which is known best at the end of a run. */
export function learnPace({ discovery, pace }: Pick<Session, "discovery" | "pace">): void {
  const { perSecond, isAtRandom } = pace;
  if (isAtRandom) {
    const adapted = "what is refused is sent again";
    discovery.learn({ id: paceId, topic: "pace", text: atRandomText, adapted, seen: [] });
    return;
  }
  if (perSecond === undefined || !pace.isConfirmed) return;
  const adapted = "the whole run asks no faster";
  discovery.learn({ id: paceId, topic: "pace", text: paceText(perSecond), adapted, seen: [] });
}

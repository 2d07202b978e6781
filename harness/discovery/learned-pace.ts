import { paceId } from "../judge-pace.ts";
import type { Session } from "../session.ts";

/** Learns how fast the target may be asked, which is known best at the end of a run. */
export function learnPace({ discovery, pace }: Pick<Session, "discovery" | "pace">): void {
  const { text, isAtRandom, isConfirmed } = pace;
  if (text === undefined || !(isAtRandom || isConfirmed)) return;
  const adapted = isAtRandom ? "what is refused is sent again" : "the whole run asks no faster";
  discovery.learn({ id: paceId, topic: "pace", text, adapted, seen: [] });
}

import type { JobTimeline, TimelineEvent } from "../../model.ts";

/** Too short for a formatted time to show. */
const nudgeMs = 1e-4;

/**
 * Moves events of a job apart: on a virtual clock many happen at the same moment. Each is placed at least a nudge after
 * the one before it, so that a scale can keep them apart in their order.
 */
export function spreadOut(timeline: JobTimeline): JobTimeline {
  if (timeline.clock === "real") return timeline;
  const events: TimelineEvent[] = [];
  for (const event of timeline.events) {
    const free = (events.at(-1)?.fromMs ?? Number.NEGATIVE_INFINITY) + nudgeMs;
    const fromMs = Math.max(event.fromMs, free);
    events.push({ ...event, fromMs, toMs: Math.max(event.toMs, fromMs) });
  }
  return { ...timeline, events, states: statesAlong(timeline, events) };
}

/** Lets each state last from the event that first showed it to the last event in a row that did. */
function statesAlong(
  { states }: JobTimeline,
  events: readonly TimelineEvent[],
): JobTimeline["states"] {
  let next = 0;
  return states.map((state) => {
    const shows = ({ text }: TimelineEvent): boolean => text.endsWith(state.status);
    const first = events.findIndex(
      (event, at) => at >= next && shows(event) && event.toMs >= state.fromMs,
    );
    if (first === -1) return state;
    next = first + 1;
    const other = events.findIndex((event, at) => at > first && isOtherState(event, state.status));
    const last = events.slice(first, other === -1 ? undefined : other).findLast(shows);
    const fromMs = events[first]?.fromMs ?? state.fromMs;
    return { ...state, fromMs, toMs: Math.max(last?.toMs ?? fromMs, fromMs) };
  });
}

function isOtherState({ kind, text }: TimelineEvent, status: string): boolean {
  return kind === "retry" || (/ [A-Z_]+$/u.test(text) && !text.endsWith(status));
}

import { boundedLine } from "./bounded.ts";
import type { JobTimeline, TimelineEvent } from "./model.ts";

const timelinesMax = 8;
const entriesMax = 120;

/** Cuts the timelines of one check to what a report can hold. */
export function boundedTimelines(timelines: readonly JobTimeline[]): readonly JobTimeline[] {
  return timelines.slice(0, timelinesMax).map(boundedTimeline);
}

function boundedTimeline(timeline: JobTimeline): JobTimeline {
  const { job, endpoint, clock, states, events, due, eventsLeftOut = 0 } = timeline;
  const leftOut = eventsLeftOut + Math.max(0, events.length - entriesMax);
  return {
    job: boundedLine(job),
    endpoint: boundedLine(endpoint),
    clock,
    states: states
      .slice(-entriesMax)
      .map(({ status, fromMs, toMs }) => ({ status: boundedLine(status), fromMs, toMs })),
    events: events.filter((_, at) => at === 0 || at > events.length - entriesMax).map(boundedEvent),
    due: due.slice(-entriesMax),
    ...(leftOut > 0 && { eventsLeftOut: leftOut }),
  };
}

function boundedEvent({ kind, text, times, fromMs, toMs }: TimelineEvent): TimelineEvent {
  return {
    kind,
    text: boundedLine(text),
    ...(times !== undefined && { times }),
    fromMs,
    toMs,
  };
}

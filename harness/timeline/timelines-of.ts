import { parseJson } from "../../client/parse-json.ts";
import { valueAt } from "../../openapi/departures.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { Redactor } from "../../client/redactor.ts";
import type { HookReply } from "../webhooks/hook.ts";
import type { Interval } from "../interval.ts";
import { roundedMs } from "../evidence/evidence.ts";
import type { Recorder } from "../evidence/recorder.ts";
import { brief } from "../show.ts";
import { sightingOf } from "./sighting.ts";
import type { JobTimeline, TimelineEvent, TimelineSpan } from "../../reports/model.ts";
import type { TimeLog } from "../endpoint/time-log.ts";

/** The limits of what is shown of a check, so that a report stays small. */
export interface TimelineLimits {
  readonly jobs: number;
  readonly events: number;
  /** Only jobs for whose moments the check waited. */
  readonly onlyAwaited?: boolean;
}

const textCharactersMax = 160;

/** What a check found that may tell which jobs matter. */
export interface TimelineHints {
  /** The jobs that the differences are about. */
  readonly jobs: readonly (string | undefined)[];
  /** Texts that may name jobs: what was expected and got. */
  readonly named: readonly string[];
}

/**
 * The timelines of the jobs that matter: first those that a difference is about, then those that its text names, then
 * those for whose moments the check waited, then those of which most was seen.
 */
export function timelinesOf(
  { exchanges, endpoints, hooks, redactor }: Recorder,
  { jobs: failing, named }: TimelineHints,
  limits: TimelineLimits,
): readonly JobTimeline[] {
  // Most checks pass and have waited for nothing: their answers need not be read again.
  const someAwaited = [...endpoints.values()].some(({ awaited }) => awaited.length > 0);
  if (limits.onlyAwaited === true && !someAwaited) return [];

  const jobs = new Jobs(endpoints, redactor);
  for (const exchange of exchanges) jobs.take(exchange);
  for (const { attempts, answered } of hooks) {
    for (const [at, attempt] of attempts.entries()) {
      jobs.called(idIn(attempt.text), attempt.at, answered[at] ?? 200);
    }
  }
  const rankOf = ({ story, awaited }: Candidate): number =>
    (failing.includes(story.id) ? 4e6 : 0) +
    (named.some((text) => text.includes(story.id)) ? 2e6 : 0) +
    (awaited.length > 0 ? 1e6 : 0) +
    story.events.length;
  return jobs
    .candidates()
    .filter(({ awaited }) => limits.onlyAwaited !== true || awaited.length > 0)
    .toSorted((a, b) => rankOf(b) - rankOf(a))
    .slice(0, limits.jobs)
    .map((candidate) => timelineOf(candidate, limits.events, redactor));
}

interface Moment {
  readonly at: Interval;
  readonly kind: TimelineEvent["kind"];
  readonly text: string;
  readonly status?: string;
}

interface Story {
  readonly id: string;
  readonly endpoint: string;
  readonly log: TimeLog;
  readonly events: Moment[];
}

interface Candidate {
  readonly story: Story;
  readonly awaited: TimeLog["awaited"];
  /** What the endpoint's clock showed when the check first saw anything there. */
  readonly zeroMs: number;
}

/** Everything that was seen, sorted by job. */
class Jobs {
  readonly #logs: ReadonlyMap<string, TimeLog>;
  readonly #redactor: Redactor;
  readonly #stories = new Map<string, Story>();
  readonly #zeroMs = new Map<string, number>();

  constructor(logs: ReadonlyMap<string, TimeLog>, redactor: Redactor) {
    this.#logs = logs;
    this.#redactor = redactor;
  }

  take(exchange: Exchange): void {
    const endpoint = exchange.request.endpointId;
    const log = this.#logs.get(endpoint);
    if (log === undefined) return;
    const at = log.readAt({ earliestMs: exchange.sentAtMs, latestMs: exchange.answeredAtMs });
    const zeroMs = this.#zeroMs.get(endpoint) ?? at.earliestMs;
    this.#zeroMs.set(endpoint, Math.min(zeroMs, at.earliestMs));
    const { kind, id, status, text } = sightingOf(exchange);
    if (kind === undefined) return;
    const seen = {
      at,
      kind,
      text: this.#told(text),
      ...(status !== undefined && { status: this.#told(status) }),
    };
    if (kind === "purge") {
      for (const story of this.#ofEndpoint(endpoint)) story.events.push(seen);
    } else if (id !== undefined) this.#story(endpoint, id, log).events.push(seen);
  }

  called(id: string | undefined, wall: Interval, reply: HookReply): void {
    const story = [...this.#stories.values()].find((each) => each.id === id);
    if (story === undefined) return;
    // A virtual clock stands still until the call is answered; on a real one it may have waited to be seen.
    const at = story.log.clock === "virtual" ? { ...wall, earliestMs: wall.latestMs } : wall;
    const text = `webhook, answered with ${typeof reply === "number" ? String(reply) : reply}`;
    story.events.push({ at: story.log.readAt(at), kind: "webhook", text });
  }

  candidates(): readonly Candidate[] {
    return [...this.#stories.values()].map((story) => ({
      story,
      awaited: story.log.awaited.filter(({ jobId }) => jobId === story.id),
      zeroMs: this.#zeroMs.get(story.endpoint) ?? 0,
    }));
  }

  #told(text: string): string {
    return brief(this.#redactor.redact(text), textCharactersMax);
  }

  #ofEndpoint(endpoint: string): readonly Story[] {
    return [...this.#stories.values()].filter((story) => story.endpoint === endpoint);
  }

  #story(endpoint: string, id: string, log: TimeLog): Story {
    const key = JSON.stringify([endpoint, id]);
    const known = this.#stories.get(key) ?? { id, endpoint, log, events: [] };
    this.#stories.set(key, known);
    return known;
  }
}

function timelineOf(
  { story, awaited, zeroMs }: Candidate,
  eventsMax: number,
  redactor: Redactor,
): JobTimeline {
  const spanOf = ({ earliestMs, latestMs }: Interval): TimelineSpan => ({
    fromMs: roundedMs(earliestMs - zeroMs),
    toMs: roundedMs(latestMs - zeroMs),
  });
  const moments = story.events.toSorted((a, b) => a.at.earliestMs - b.at.earliestMs);
  const events = withoutRepeats(moments.map(({ at, ...told }) => ({ ...told, ...spanOf(at) })));
  const due = awaited.map(({ due: at, afterMs }): JobTimeline["due"][number] => ({
    ...spanOf(at),
    afterMs,
  }));
  const leftOut = Math.max(0, events.length - eventsMax);
  return {
    job: brief(redactor.redact(story.id), textCharactersMax),
    endpoint: brief(redactor.redact(story.endpoint), textCharactersMax),
    clock: story.log.clock,
    states: statesIn(moments, spanOf).slice(-eventsMax),
    events: events.slice(0, 1).concat(events.slice(1 + leftOut)),
    due: distinct(due).slice(-eventsMax),
    ...(leftOut > 0 && { eventsLeftOut: leftOut }),
  };
}

/** Makes one event of successive reads that showed the same. */
function withoutRepeats(
  events: readonly (TimelineEvent & { status?: string })[],
): readonly TimelineEvent[] {
  const told: TimelineEvent[] = [];
  for (const { status: _, ...event } of events) {
    const last = told.at(-1);
    const repeats = last?.kind === "read" && event.kind === "read" && last.text === event.text;
    if (last === undefined || !repeats) told.push(event);
    else told[told.length - 1] = { ...last, toMs: event.toMs, times: (last.times ?? 1) + 1 };
  }
  return told;
}

/** The states that were seen, repeats merged; a retry begins a new entry, also where the state is the same again. */
function statesIn(
  moments: readonly Moment[],
  spanOf: (at: Interval) => TimelineSpan,
): readonly JobTimeline["states"][number][] {
  const states: JobTimeline["states"][number][] = [];
  let isCut = false;
  for (const { at, kind, status } of moments) {
    isCut ||= kind === "retry";
    if (status === undefined) continue;
    const span = spanOf(at);
    const last = states.at(-1);
    if (last !== undefined && last.status === status && !isCut) {
      states[states.length - 1] = { ...last, toMs: Math.max(last.toMs, span.toMs) };
    } else states.push({ status, ...span });
    isCut = false;
  }
  return states;
}

function distinct(
  spans: readonly JobTimeline["due"][number][],
): readonly JobTimeline["due"][number][] {
  const byPlace = spans.map((span) => [`${span.fromMs} ${span.toMs}`, span] as const);
  return [...new Map(byPlace).values()];
}

function idIn(text: string): string | undefined {
  const id = valueAt(parseJson(text), "id");
  return typeof id === "string" ? id : undefined;
}

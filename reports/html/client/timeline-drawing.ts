import type { JobTimeline, TimelineEvent } from "../../model.ts";
import { svg } from "./svg.ts";
import { timeText } from "../verdict-mark.ts";
import type { TimeScale } from "./time-scale.ts";

/** The visible part of the scale, and its width in pixels. */
export interface TimelineView {
  readonly scale: TimeScale;
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

const left = 12;
const laneHeight = 18;
const markerStep = 17;
const markersMax = 6;
const charWidth = 6.4;
const axisHeight = 26;

const letters: Readonly<Record<TimelineEvent["kind"], string>> = {
  submit: "S",
  read: "",
  cancel: "C",
  retry: "R",
  purge: "P",
  webhook: "W",
};

/** Draws the jobs below each other on one axis; returns the height of the drawing. */
export function drawTimelines(
  drawing: SVGElement,
  timelines: readonly JobTimeline[],
  view: TimelineView,
): number {
  let y = axisHeight;
  const rows: SVGElement[] = [];
  for (const [at, timeline] of timelines.entries()) {
    const row = rowOf(timeline, at, view);
    row.element.setAttribute("transform", `translate(0 ${String(y)})`);
    rows.push(row.element);
    y += row.height;
  }
  drawing.replaceChildren(axis(view, y), ...rows);
  return y;
}

/** The x of a moment, limited to the area near the picture, so that numbers stay small. */
export function placeOf(ms: number, { scale, from, to, width }: TimelineView): number {
  const share = (scale.place(ms) - from) / Math.max(to - from, 1e-9);
  return left + Math.min(Math.max(share, -1), 2) * (width - 2 * left);
}

function axis(view: TimelineView, height: number): SVGElement {
  const group = svg("g", { class: "axis" });
  let free = Number.NEGATIVE_INFINITY;
  let told = "";
  for (const ms of view.scale.ticks(view.from, view.to, Math.floor(view.width / 90))) {
    const x = placeOf(ms, view);
    const text = timeText(ms);
    const half = (text.length * charWidth) / 2;
    if (x - half < free || text === told) continue;
    free = x + half + 8;
    told = text;
    const isFirst = x - half < 0;
    const isLast = x + half > view.width;
    const anchor = isFirst ? "start" : isLast ? "end" : "middle";
    group.append(
      svg("line", { x1: x, x2: x, y1: 18, y2: height }),
      svg("text", { x, y: 12, "text-anchor": anchor }, text),
    );
  }
  return group;
}

function rowOf(
  timeline: JobTimeline,
  at: number,
  view: TimelineView,
): { element: SVGElement; height: number } {
  const { job, clock } = timeline;
  const label = `job ${String(at + 1)}: ${job.length > 48 ? `${job.slice(0, 47)}…` : job}`;
  const element = svg("g", { class: "job" });
  const markers = markersOf(timeline.events, view);
  const height = 72 + markers.lanes * markerStep;
  element.append(
    svg("line", { x1: 0, x2: view.width, y1: 0, y2: 0, class: "rule" }),
    svg("text", { x: left, y: 17, class: "job-name" }, label),
    svg(
      "text",
      { x: view.width - left, y: 17, "text-anchor": "end", class: "job-clock" },
      `${clock} clock`,
    ),
    ...statesOf(timeline, view),
    ...markers.elements,
    ...dueOf(timeline, view, height),
  );
  return { element, height };
}

const stateTop = 26;
const middle = stateTop + laneHeight / 2;

function statesOf({ states }: JobTimeline, view: TimelineView): readonly SVGElement[] {
  return states.flatMap((state, at) => {
    const next = states[at + 1];
    const x = placeOf(state.fromMs, view);
    const end = Math.max(placeOf(state.toMs, view), x + 4);
    const limit = next === undefined ? view.width : placeOf(next.fromMs, view);
    const known = { x, y: stateTop, width: end - x, height: laneHeight };
    const tip = `${state.status}, seen from ${timeText(state.fromMs)} to ${timeText(state.toMs)}`;
    const gap = { x: end, y: stateTop, width: Math.max(0, limit - end), height: laneHeight };
    const unseen = `between ${state.status} and ${next?.status ?? ""}: not looked at`;
    const roomForText = Math.max(end, limit) - x;
    const fits = state.status.length * charWidth + 10 < roomForText;
    return [
      ...(next === undefined
        ? []
        : [
            svg("line", { x1: end, x2: limit, y1: middle, y2: middle, class: "gap" }),
            svg("rect", { ...gap, fill: "transparent", "data-tip": unseen }),
          ]),
      svg("rect", { ...known, rx: 2, class: `state ${stateClass(state.status)}`, "data-tip": tip }),
      ...(fits
        ? [svg("text", { x: x + 6, y: stateTop + 13, class: "state-name" }, state.status)]
        : []),
    ];
  });
}

const knownStates = new Set([
  "IN_QUEUE",
  "IN_PROGRESS",
  "COMPLETED",
  "FAILED",
  "TIMED_OUT",
  "CANCELLED",
]);

function stateClass(status: string): string {
  return knownStates.has(status) ? status.toLowerCase() : "other";
}

interface Marker {
  readonly event: TimelineEvent;
  readonly from: number;
  readonly to: number;
  readonly lane: number;
}

/** Puts events at nearly the same place on lanes below each other. */
function markersOf(
  events: readonly TimelineEvent[],
  view: TimelineView,
): { elements: readonly SVGElement[]; lanes: number } {
  const freeFrom: number[] = [];
  const markers = events.map((event): Marker => {
    const [from, to] = [placeOf(event.fromMs, view), placeOf(event.toMs, view)];
    const found = freeFrom.findIndex((free) => free <= from - 8);
    const lane = found === -1 ? Math.min(freeFrom.length, markersMax - 1) : found;
    freeFrom[lane] = to + 8;
    return { event, from, to, lane };
  });
  const elements = markers.map((marker, at) => {
    const next = markers.slice(at + 1).find(({ lane }) => lane === marker.lane);
    return markerOf(marker, (next?.from ?? view.width) - 8);
  });
  return { elements, lanes: Math.max(1, freeFrom.length) };
}

/** @param limit where the next marker of the lane begins, in pixels */
function markerOf({ event, from, to, lane }: Marker, limit: number): SVGElement {
  const x = (from + to) / 2;
  const y = stateTop + laneHeight + 14 + lane * markerStep;
  const letter = letters[event.kind];
  const told = event.text.replace(/^[^:,]*[:,] (answered with )?/u, "");
  const words = to + 11;
  const fits = words + told.length * charWidth < limit;
  const repeated = (event.times ?? 1) > 1 ? `, ${String(event.times)} times` : "";
  return svg(
    "g",
    { class: `event ${event.kind}`, "data-tip": `${event.text}${repeated}, ${spanText(event)}` },
    svg("line", { x1: from, x2: to, y1: y, y2: y, class: "spread" }),
    svg("circle", { cx: x, cy: y, r: letter === "" ? 4 : 7.5 }),
    svg("text", { x, y: y + 3.5, "text-anchor": "middle", class: "letter" }, letter),
    ...(fits ? [svg("text", { x: words, y: y + 3.5, class: "told" }, told)] : []),
  );
}

function spanText({ fromMs, toMs }: { fromMs: number; toMs: number }): string {
  const from = timeText(fromMs);
  return timeText(toMs) === from ? `at ${from}` : `between ${from} and ${timeText(toMs)}`;
}

/** Marks the window in which an end had to fall, and the time span before it. */
function dueOf({ due }: JobTimeline, view: TimelineView, height: number): readonly SVGElement[] {
  return due.flatMap(({ fromMs, toMs, afterMs }) => {
    const [x, end] = [placeOf(fromMs, view), placeOf(toMs, view)];
    const tip = `${timeText(afterMs)} were over ${spanText({ fromMs, toMs })}`;
    const label = timeText(afterMs);
    const start = placeOf(fromMs - afterMs, view);
    const y = height - 8;
    return [
      svg("rect", {
        x: x - 1,
        y: 20,
        width: Math.max(2, end - x),
        height: height - 22,
        class: "due",
        "data-tip": tip,
      }),
      svg("line", { x1: start, x2: x, y1: y, y2: y, class: "due-span" }),
      svg("text", { x: x - 5, y: y - 3, "text-anchor": "end", class: "due-name" }, label),
    ];
  });
}

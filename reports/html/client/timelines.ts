import type { JobTimeline } from "../../model.ts";
import { all, button, whenSeen } from "./page.ts";
import { spreadOut } from "./spread.ts";
import { svg } from "./svg.ts";
import { compressedScale, linearScale, type TimeScale } from "./time-scale.ts";
import { drawTimelines, type TimelineView } from "./timeline-drawing.ts";
import { showTips } from "./tips.ts";

/** Draws the timelines that the page carries, each when it scrolls into view. */
export function startTimelines(groups: readonly (readonly JobTimeline[])[]): void {
  for (const host of all("[data-timelines]", HTMLElement)) {
    const timelines = groups[Number(host.dataset["timelines"])];
    if (timelines === undefined || timelines.length === 0) continue;
    host.hidden = false;
    const chart = new TimelineChart(host, timelines);
    whenSeen(host, () => chart.start());
  }
}

const zoomStep = 1.6;
const leastSpan = 1e-7;

class TimelineChart {
  readonly #host: HTMLElement;
  readonly #timelines: Readonly<Record<"short" | "true", readonly JobTimeline[]>>;
  readonly #drawing = svg("svg", { class: "timeline", role: "img", tabindex: 0 });
  readonly #scales: Readonly<Record<"short" | "true", TimeScale>>;
  #kind: "short" | "true" = "short";
  #from = 0;
  #to = 1;

  constructor(host: HTMLElement, timelines: readonly JobTimeline[]) {
    this.#host = host;
    this.#timelines = { short: timelines.map(spreadOut), true: timelines };
    const moments = momentsOf(timelines);
    this.#scales = {
      short: compressedScale(momentsOf(this.#timelines.short)),
      true: linearScale(Math.min(...moments), Math.max(...moments)),
    };
    if (timelines.every(({ clock }) => clock === "real") && isEven(moments)) this.#kind = "true";
    const what = `Timeline of ${String(timelines.length)} jobs; the table after it tells the same.`;
    this.#drawing.setAttribute("aria-label", what);
  }

  start(): void {
    this.#host.append(this.#buttons(), this.#drawing);
    showTips(this.#drawing, this.#host);
    this.#drawing.addEventListener("wheel", (event) => this.#wheeled(event), { passive: false });
    this.#drawing.addEventListener("pointerdown", (event) => this.#grabbed(event));
    this.#drawing.addEventListener("keydown", (event) => this.#pressed(event));
    new ResizeObserver(() => this.#draw()).observe(this.#host);
    this.#draw();
  }

  #draw(): void {
    const width = this.#host.clientWidth;
    // Inside a collapsed element the width is 0.
    if (width === 0) return;
    const height = drawTimelines(this.#drawing, this.#timelines[this.#kind], this.#view(width));
    this.#drawing.setAttribute("viewBox", `0 0 ${String(width)} ${String(height)}`);
    this.#drawing.setAttribute("height", String(height));
  }

  #view(width: number): TimelineView {
    return { scale: this.#scales[this.#kind], from: this.#from, to: this.#to, width };
  }

  #buttons(): HTMLElement {
    const bar = document.createElement("div");
    bar.className = "timeline-bar";
    const scale = button("True to scale", "True to scale", () => {
      this.#kind = this.#kind === "true" ? "short" : "true";
      scale.setAttribute("aria-pressed", String(this.#kind === "true"));
      this.#show(0, 1);
    });
    scale.setAttribute("aria-pressed", String(this.#kind === "true"));
    bar.append(
      button("+", "Zoom in", () => this.#zoom(1 / zoomStep)),
      button("−", "Zoom out", () => this.#zoom(zoomStep)),
      button("Whole", "Whole", () => this.#show(0, 1)),
      scale,
    );
    return bar;
  }

  #zoom(factor: number, around = 0.5): void {
    const span = this.#to - this.#from;
    const next = Math.min(1, Math.max(leastSpan, span * factor));
    const fixed = this.#from + around * span;
    this.#show(fixed - around * next, fixed + (1 - around) * next);
  }

  #show(from: number, to: number): void {
    const span = Math.min(1, to - from);
    this.#from = Math.min(Math.max(0, from), 1 - span);
    this.#to = this.#from + span;
    this.#draw();
  }

  #wheeled(event: WheelEvent): void {
    // Only the wheel with Ctrl or Meta zooms; the wheel alone scrolls the page.
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { left, width } = this.#drawing.getBoundingClientRect();
    this.#zoom(event.deltaY < 0 ? 1 / zoomStep : zoomStep, (event.clientX - left) / width);
  }

  #grabbed(event: PointerEvent): void {
    const { width } = this.#drawing.getBoundingClientRect();
    const [from, span] = [this.#from, this.#to - this.#from];
    const released = new AbortController();
    const moved = (move: PointerEvent): void => {
      const by = ((move.clientX - event.clientX) / width) * span;
      this.#show(from - by, from - by + span);
    };
    addEventListener("pointermove", moved, { signal: released.signal });
    addEventListener("pointerup", () => released.abort(), { signal: released.signal });
  }

  #pressed(event: KeyboardEvent): void {
    const span = this.#to - this.#from;
    const acts: Readonly<Record<string, () => void>> = {
      "+": () => this.#zoom(1 / zoomStep),
      "-": () => this.#zoom(zoomStep),
      "0": () => this.#show(0, 1),
      ArrowLeft: () => this.#show(this.#from - span / 8, this.#to - span / 8),
      ArrowRight: () => this.#show(this.#from + span / 8, this.#to + span / 8),
    };
    const act = acts[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  }
}

function momentsOf(timelines: readonly JobTimeline[]): readonly number[] {
  const spans = timelines.flatMap(({ states, events, due }) => [...states, ...events, ...due]);
  return spans.flatMap(({ fromMs, toMs }) => [fromMs, toMs]);
}

/** Whether the moments are spread evenly enough to be shown true to scale. */
function isEven(moments: readonly number[]): boolean {
  const sorted = [...new Set(moments)].toSorted((a, b) => a - b);
  const gaps = sorted.slice(1).map((ms, at) => ms - (sorted[at] ?? 0));
  return gaps.length === 0 || Math.max(...gaps) < 40 * Math.min(...gaps);
}

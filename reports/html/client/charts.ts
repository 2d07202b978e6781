import uPlot from "uplot";
import type { LoadSeries } from "../../model.ts";
import {
  countsChart,
  histogramChart,
  inFlightChart,
  latencyChart,
  scheduleChart,
  type Chart,
} from "./load-charts.ts";
import { all, whenSeen } from "./page.ts";

const height = 190;

/** Draws each trace's plots when they scroll into view, and again when the colour scheme changes or a print begins. */
export function startCharts(series: readonly LoadSeries[]): void {
  for (const host of all("[data-series]", HTMLElement)) {
    const trace = series[Number(host.dataset["series"])];
    if (trace === undefined) continue;
    host.hidden = false;
    whenSeen(host, () => {
      draw(host, trace);
      const dark = matchMedia("(prefers-color-scheme: dark)");
      dark.addEventListener("change", () => draw(host, trace));
      matchMedia("print").addEventListener("change", () => draw(host, trace));
    });
  }
}

function draw(host: HTMLElement, trace: LoadSeries): void {
  const charts = [
    countsChart(trace),
    inFlightChart(trace),
    latencyChart(trace),
    histogramChart(trace),
    scheduleChart(trace),
  ];
  host.replaceChildren(
    ...charts.flatMap((chart) => (chart === undefined ? [] : [figureOf(chart)])),
  );
}

function figureOf({ title, about, options, data }: Chart): HTMLElement {
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  const note = document.createElement("span");
  note.className = "quiet";
  note.textContent = about;
  caption.append(title, " ", note);
  const place = document.createElement("div");
  figure.append(caption, place);
  const plot = new uPlot({ ...options, width: 400, height }, data, place);
  new ResizeObserver(() => {
    const width = place.clientWidth;
    if (width > 0 && width !== plot.width) plot.setSize({ width, height });
  }).observe(place);
  return figure;
}

import uPlot from "uplot";
import type { LoadSeries, TimeSpread } from "../../model.ts";
import { acceptedInWindow } from "./accepted.ts";
import { colour } from "./page.ts";
import { backdrop, levelLine } from "./plot-marks.ts";
import { timeText } from "../verdict-mark.ts";

/** A plot with its title. */
export interface Chart {
  readonly title: string;
  readonly about: string;
  readonly options: Omit<uPlot.Options, "width" | "height">;
  readonly data: uPlot.AlignedData;
}

/** Shows how many requests were sent, accepted and refused, and the limit of each window. */
export function countsChart(trace: LoadSeries): Chart {
  const { bins, binMs, limit, windows = [], bands = [] } = trace;
  const inWindow = acceptedInWindow(trace);
  const marks = limit === undefined ? [] : [levelLine(limit, "window", `limit ${String(limit)}`)];
  const accepted = line("accepted in the window", "text", { scale: "window", dash: [4, 3] });
  return {
    title: `Sent, accepted and refused, per ${timeText(binMs)}`,
    about: aboutCounts(trace),
    options: options({
      series: [
        line("sent", "quiet"),
        line("accepted", "pass", { fill: true }),
        line("refused", "inconclusive", { fill: true }),
        ...(bins.failed === undefined ? [] : [line("5xx or no answer", "fail", { fill: true })]),
        ...(inWindow === undefined ? [] : [accepted]),
      ],
      scales: { window: { range: fromZero(limit ?? 0) } },
      axes: [
        axis("y", "per bin"),
        ...(inWindow === undefined ? [] : [onTheRight(axis("window", "in window"))]),
      ],
      plugins: [backdrop([...windows, ...bands]), ...marks],
    }),
    data: [
      timesOf(trace),
      [...bins.sent],
      [...bins.accepted],
      [...bins.refused],
      ...(bins.failed === undefined ? [] : [[...bins.failed]]),
      ...(inWindow === undefined ? [] : [[...inWindow]]),
    ],
  };
}

/** What bands and lines mean, each once. */
function bandTexts(bands: NonNullable<LoadSeries["bands"]>): readonly string[] {
  const texts = bands.map(({ name, fromMs, toMs }) =>
    fromMs === toMs ? `upright line: ${name}` : `shaded: ${name}`,
  );
  return [...new Set(texts)];
}

function aboutCounts({ limit, bands = [] }: LoadSeries): string {
  return [
    ...(limit === undefined ? [] : ["dashed: accepted so far in the window; line: the limit"]),
    ...bandTexts(bands),
  ].join("; ");
}

/** Shows how many requests were in flight, and the cap. */
export function inFlightChart(trace: LoadSeries): Chart {
  const { cap, bins } = trace;
  return {
    title: "In flight at most",
    about: cap === undefined ? "" : "line: the cap",
    options: options({
      series: [line("in flight", "link", { fill: true })],
      scales: { y: { range: fromZero(cap ?? 0) } },
      axes: [axis("y", "requests")],
      plugins: cap === undefined ? [] : [levelLine(cap, "y", `cap ${String(cap)}`)],
    }),
    data: [timesOf(trace), [...bins.inFlight]],
  };
}

/** Shows the time to the answer over time. */
export function latencyChart(trace: LoadSeries): Chart | undefined {
  const { latency, bins } = trace;
  if (latency === undefined) return undefined;
  return {
    title: "Time to the answer",
    about: spreadText(latency),
    options: options({
      series: [line("median", "link"), line("99th percentile", "inconclusive")],
      scales: { y: { range: fromZero(0) } },
      axes: [axis("y", "ms")],
    }),
    data: [timesOf(trace), [...bins.p50Ms], [...bins.p99Ms]],
  };
}

/** Shows how many answers took how long. */
export function histogramChart({ latency }: LoadSeries): Chart | undefined {
  if (latency === undefined) return undefined;
  const { uptoMs, counts } = latency.histogram;
  const places = uptoMs.map((_, at) => at);
  const text = (at: number | null | undefined): string =>
    at === null || at === undefined ? "" : upto(uptoMs[at]);
  const bars = uPlot.paths.bars?.({ size: [0.9] });
  return {
    title: "How many answers took how long",
    about: `${String(latency.count)} answers, bars of 1, 2, 5 and their powers of ten`,
    options: options({
      series: [
        {
          ...line("answers", "link", { fill: true }),
          ...(bars !== undefined && { paths: bars }),
        },
      ],
      scales: {
        x: { time: false, range: () => [-0.6, Math.max(0, places.length - 0.4)] },
        y: { range: fromZero(0) },
      },
      axes: [axis("y", "answers")],
      bottom: {
        splits: () => places,
        values: (_, splits) => splits.map(text),
        space: 60,
      },
      xLabel: "took at most",
      xText: (_, at) => text(at),
    }),
    data: [places, [...counts]],
  };
}

function upto(ms: number | undefined): string {
  return ms === undefined ? "" : `≤ ${timeText(ms)}`;
}

/** Shows how late the generator itself was; where it is late, the other plots show its own delay. */
export function scheduleChart(trace: LoadSeries): Chart | undefined {
  const { scheduleError, bins } = trace;
  if (scheduleError === undefined || bins.lateMs === undefined) return undefined;
  return {
    title: "How late the generator was",
    about: spreadText(scheduleError),
    options: options({
      series: [line("latest", "inconclusive")],
      scales: { y: { range: fromZero(0) } },
      axes: [axis("y", "ms")],
    }),
    data: [timesOf(trace), [...bins.lateMs]],
  };
}

function spreadText({ p50Ms, p90Ms, p99Ms, maxMs }: TimeSpread): string {
  const [half, most, nearlyAll, all] = [p50Ms, p90Ms, p99Ms, maxMs].map(timeText);
  return `median ${half ?? ""}, p90 ${most ?? ""}, p99 ${nearlyAll ?? ""}, longest ${all ?? ""}`;
}

/** The beginning of each bin, in seconds. */
function timesOf({ bins, fromMs, binMs }: LoadSeries): number[] {
  return bins.sent.map((_, at) => (fromMs + at * binMs) / 1000);
}

interface LineStyle {
  readonly fill?: boolean;
  readonly scale?: string;
  readonly dash?: number[];
}

function line(
  label: string,
  tone: string,
  { fill = false, scale, dash }: LineStyle = {},
): uPlot.Series {
  const stroke = colour(tone);
  const paths = uPlot.paths.stepped?.({ align: 1 });
  return {
    label,
    stroke,
    width: 1.5,
    points: { show: false },
    ...(paths !== undefined && { paths }),
    ...(fill && { fill: `${stroke}26` }),
    ...(scale !== undefined && { scale }),
    ...(dash !== undefined && { dash }),
  };
}

function axis(scale: string, label: string): uPlot.Axis {
  const quiet = colour("quiet");
  const grid = { stroke: colour("line"), width: 1 };
  return {
    scale,
    label,
    labelSize: 18,
    labelFont: "11px system-ui, sans-serif",
    font: "11px system-ui, sans-serif",
    stroke: quiet,
    grid: scale === "window" ? { show: false } : grid,
    ticks: { ...grid, size: 4 },
    size: 48,
  };
}

function onTheRight(own: uPlot.Axis): uPlot.Axis {
  // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- its enum has no values at run time
  return { ...own, side: 1 };
}

interface Parts {
  readonly series: readonly uPlot.Series[];
  readonly scales: uPlot.Scales;
  readonly axes: readonly uPlot.Axis[];
  readonly plugins?: uPlot.Plugin[];
  readonly bottom?: uPlot.Axis;
  readonly xLabel?: string;
  readonly xText?: (plot: uPlot, at: number | null) => string;
}

function options(parts: Parts): Omit<uPlot.Options, "width" | "height"> {
  const { series, scales, axes, plugins = [], bottom = {}, xLabel = "s", xText } = parts;
  return {
    series: [{ label: xLabel, ...(xText !== undefined && { value: xText }) }, ...series],
    scales: { x: { time: false }, ...scales },
    axes: [{ ...axis("x", ""), labelSize: 0, size: 28, ...bottom }, ...axes],
    plugins,
    cursor: { y: false },
    legend: { live: true },
  };
}

/** A range from 0 to a little above the larger of the data and `least`. */
function fromZero(least: number): uPlot.Range.Function {
  return (_, __, most) => [0, Math.max(least, Number.isFinite(most) ? most : 0, 1e-3) * 1.08];
}

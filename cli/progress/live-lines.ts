import type { CheckSummary } from "../../harness/run-events.ts";
import { oneLine } from "./one-line.ts";
import type { RunState, Wait } from "./run-state.ts";

/** The terminal's size and the current time, in milliseconds since 1970. */
export interface Moment {
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  /** The load that is being sent; empty where there is none. */
  readonly load: string;
}

/** More lines would hide the output above. */
const linesMax = 12;

/**
 * Shows a run's progress in lines shorter than `columns` characters: the counts, waiting checks with bars until their
 * end, and running checks. A narrower terminal shows less of each.
 */
export function liveLines(state: RunState, moment: Moment): readonly string[] {
  const { columns, rows, nowMs } = moment;
  const linesLeft = Math.max(1, Math.min(linesMax, rows - 2));
  const waiting = [...state.waits]
    .filter(([, { untilMs }]) => untilMs > nowMs)
    .toSorted(([, a], [, b]) => a.untilMs - b.untilMs);
  const waitingNames = new Set(waiting.map(([name]) => name));
  const acting = [...state.running.values()].filter(({ name }) => !waitingNames.has(name));
  const load = moment.load === "" ? [] : [moment.load];
  const head = headline(state, { ...moment, acting: acting.length, waiting: waiting.length });
  const below = [
    ...load,
    ...barLines(waiting, state.running, { ...moment, barsMax: linesLeft - 2 - load.length }),
    ...(acting.length > 0 ? [`running ${acting.map(({ name }) => name).join(", ")}`] : []),
  ];
  return [head, ...below.slice(0, linesLeft - 1)].map((line) => fit(line, columns));
}

/** One line for a log: how many checks are done, how many failed, and how long the run still takes. */
export function countsLine(state: RunState, nowMs: number): string {
  return `${countsOf(state)}${leftOf(state, nowMs)}`;
}

/** The time that the run still takes, where that is known: no longer than until its bound. */
function leftOf({ untilMs, untilMsMax = Infinity }: RunState, nowMs: number): string {
  if (untilMs === undefined) return "";
  const leftMs = Math.min(untilMs, untilMsMax) - nowMs;
  if (leftMs > 0) return `; ${leftText(leftMs)} left`;
  const isBounded = untilMsMax > nowMs && untilMsMax < Infinity;
  const more = isBounded ? `, ${leftText(untilMsMax - nowMs)} more at most` : "";
  return `; longer than planned${more}`;
}

function countsOf({ finished, planned, failed }: RunState): string {
  return `${finished.size} of ${planned} checks, ${failed.size} failed`;
}

interface HeadCounts extends Moment {
  readonly acting: number;
  readonly waiting: number;
}

/** Picks the longest headline that fits. */
function headline(state: RunState, { acting, waiting, columns, nowMs }: HeadCounts): string {
  const { finished, planned, failed } = state;
  const counts = countsOf(state);
  const left = leftOf(state, nowMs);
  const ways = [
    `${counts}; ${acting} running, ${waiting} waiting${left}`,
    `${counts}${left}`,
    counts,
    `${finished.size}/${planned}, ${failed.size} failed`,
  ];
  return ways.find((way) => way.length < columns) ?? `${finished.size}/${planned}`;
}

type Waiting = readonly (readonly [string, Wait])[];

function barLines(
  waiting: Waiting,
  running: ReadonlyMap<string, CheckSummary>,
  { columns, nowMs, barsMax }: Moment & { readonly barsMax: number },
): readonly string[] {
  const fits = waiting.length <= barsMax ? waiting.length : Math.max(0, barsMax - 1);
  const labels = waiting.map(([name]) => labelOf(running.get(name), name, columns));
  const width = Math.max(0, ...labels.slice(0, fits).map((label) => label.length));
  const lines = waiting.slice(0, fits).map(([, wait], at) => {
    const left = leftText(wait.untilMs - nowMs);
    const label = (labels[at] ?? "").padEnd(width);
    const barWidth = Math.min(barWidthMax, columns - width - left.length - barMargin);
    const bar = barWidth >= barWidthMin ? ` ${barOf(wait, nowMs, barWidth)}` : "";
    return `${label}${bar} ${left}`;
  });
  const last = waiting.at(-1)?.[1];
  if (fits === waiting.length || last === undefined) return lines;
  return [...lines, `${waiting.length - fits} more wait, up to ${leftText(last.untilMs - nowMs)}`];
}

const barWidthMin = 6;
const barWidthMax = 30;
/** The spaces and brackets around a bar, and the last column, which stays free. */
const barMargin = 6;
const wideColumns = 60;

/** On a narrow terminal, shows only the end of the check's name: it says more than the requirement or the beginning. */
function labelOf(check: CheckSummary | undefined, name: string, columns: number): string {
  const id = check?.covers[0];
  if (columns >= wideColumns && id !== undefined) return `${id}  ${name}`;
  const charsMax = Math.max(1, columns - narrowTail);
  return name.length <= charsMax ? name : `…${name.slice(1 - charsMax)}`;
}

/** Characters after a name on a narrow terminal, for the time that the check still waits. */
const narrowTail = 10;

function barOf({ sinceMs, untilMs }: Wait, nowMs: number, width: number): string {
  const part = (nowMs - sinceMs) / Math.max(1, untilMs - sinceMs);
  const full = Math.max(0, Math.min(width, Math.floor(part * width)));
  return `[${"#".repeat(full)}${"-".repeat(width - full)}]`;
}

/** Formats the time left: 12 s, 4:05 (minutes and seconds), 1:04:05. */
export function leftText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

function two(part: number): string {
  return String(part).padStart(2, "0");
}

/** Cuts a text to fewer than `columns` characters, so that the terminal never wraps the line. */
export function fit(text: string, columns: number): string {
  const line = oneLine(text);
  const widthMax = Math.max(1, columns - 1);
  if (line.length <= widthMax) return line;
  return widthMax > 6 ? `${line.slice(0, widthMax - 3)}...` : line.slice(0, widthMax);
}

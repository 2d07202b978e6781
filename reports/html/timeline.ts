import type { JobTimeline, TimelineSpan } from "../model.ts";
import { cutText } from "../bounded.ts";
import { html, type Markup } from "./markup.ts";
import { briefLimits, restNote } from "./limits.ts";
import type { Drawings } from "./page-context.ts";
import { table } from "./table.ts";
import { timeText } from "./verdict-mark.ts";

const rowsMax = 80;

/** Shows what was seen of a check's jobs: a drawing where scripts run, and a table of the same. */
export function timelineView(
  timelines: readonly JobTimeline[] | undefined,
  drawings: Drawings,
): Markup | undefined {
  if (timelines === undefined || timelines.length === 0) return undefined;
  const number = drawings.timelines(timelines);
  if (number === undefined) return html`<p class="quiet">Its timeline is in report.json.</p>`;
  const endpoints = new Set(timelines.map(({ endpoint }) => endpoint)).size;
  return html`<h3>Timeline</h3>
    <div class="timeline-host" data-timelines="${number}" hidden></div>
    <p class="quiet key">
      Bars: the state, as long as it was seen; dotted: not looked at. S submission, C cancel, R
      retry, P purge, W webhook call, small dots reads.
      ${timelines.some(({ due }) => due.length > 0) ? "Dashed: the moment by which time had run out." : ""}
      ${endpoints > 1 ? "Each endpoint counts its own time." : ""}
    </p>
    <details class="plain">
      <summary>As a table</summary>
      ${timelineTable(timelines)}
    </details>`;
}

interface Row extends TimelineSpan {
  readonly job: number;
  readonly what: string;
}

function timelineTable(timelines: readonly JobTimeline[]): Markup {
  const rows = timelines
    .flatMap((timeline, at) => rowsOf(timeline, at + 1))
    .toSorted((a, b) => a.fromMs - b.fromMs);
  const leftOut = Math.max(0, rows.length - rowsMax);
  return html`<ul class="jobs">
      ${timelines.map(({ job }, at) => html`<li>job ${at + 1}: <code>${cutText(job, briefLimits.nameChars)}</code></li>`)}
    </ul>
    ${table("wide", ["Job", "When", "What"], rows.slice(0, rowsMax).map(tableRow))}
    ${leftOut > 0 ? html`<p class="quiet">${leftOut} more are not shown. ${restNote}</p>` : undefined}`;
}

function tableRow({ job, what, ...span }: Row): Markup {
  return html`<tr>
    <td>${job}</td>
    <td>${whenText(span)}</td>
    <td>${cutText(what, briefLimits.valueChars)}</td>
  </tr>`;
}

function rowsOf({ events, due }: JobTimeline, job: number): readonly Row[] {
  const rowOf = (what: string, { fromMs, toMs }: TimelineSpan): Row => ({
    job,
    what,
    fromMs,
    toMs,
  });
  return [
    ...events.map(({ text, times = 1, ...span }) =>
      rowOf(times > 1 ? `${text}, ${times} times` : text, span),
    ),
    ...due.map(({ afterMs, ...span }) => rowOf(`${timeText(afterMs)} had run out`, span)),
  ];
}

function whenText({ fromMs, toMs }: TimelineSpan): string {
  const [from, to] = [timeText(fromMs), timeText(toMs)];
  return from === to ? from : `${from} to ${to}`;
}

import type { Trend, TrendFigure, TrendStrip } from "../trend/trend.ts";
import type { TrendEntry } from "../trend/trend-entry.ts";
import { countText, durationText } from "../words.ts";
import { html, prose, raw, type Markup } from "./markup.ts";
import { pageText } from "./page.ts";
import { table } from "./table.ts";

/** More curves than anybody reads. */
const figuresMax = 200;

/** Writes the trend of many reports as one page, with links into each. */
export function writeTrend(trend: Trend, subject: string): string {
  const { entries, profiles, requirements, figures } = trend;
  const body = html`<div class="page">
    <header class="top ${trend.broken.length > 0 ? "failed" : "passed"}">
      <p class="brand">queueproof <span class="quiet">trend</span></p>
      <h1>${sentenceOf(trend)}</h1>
      <p>${countText(entries.length, "report")} of ${subject}, ${spanOf(entries)}</p>
    </header>
    <main>
      ${brokenSection(trend)} ${stripSection("Profiles", profiles, entries)}
      ${stripSection("Requirements", requirements, entries)} ${figureSection(figures, entries)}
      ${reportSection(entries)}
    </main>
  </div>`;
  return pageText({ title: "trend" }, body);
}

function sentenceOf({ broken, entries }: Trend): string {
  if (broken.length === 0) return "Nothing is broken in the latest reports.";
  const first = broken.map(({ since }) => since.startedAt).toSorted()[0] ?? "";
  const isOld = first === entries[0]?.startedAt;
  const since = isOld ? "since the first report" : `the first of them since ${dayOf(first)}`;
  return `${countText(broken.length, "requirement")} broken, ${since}.`;
}

function spanOf(entries: readonly TrendEntry[]): string {
  const [first, last] = [entries[0], entries.at(-1)];
  return first === undefined || last === undefined
    ? ""
    : `${dayOf(first.startedAt)} to ${dayOf(last.startedAt)}`;
}

function brokenSection({ broken }: Trend): Markup | undefined {
  if (broken.length === 0) return undefined;
  const rows = broken.map(
    ({ strip: { name, text }, since }) =>
      html`<tr>
        <th scope="row" class="id">${name}</th>
        <td>${prose(text)}</td>
        <td>${linkTo(since)}</td>
      </tr>`,
  );
  return html`<section class="failures" aria-labelledby="broken">
    <h2 id="broken">Broken, and since when</h2>
    ${table("wide", ["requirement", "says", "first report in which it failed"], rows)}
  </section>`;
}

function linkTo({ file, startedAt }: TrendEntry): Markup {
  return html`<a href="${hrefOf(file)}">${momentOf(startedAt)}</a>`;
}

/** The page of a report where there may be one, beside its report.json. */
function hrefOf(file: string): string {
  const page = file.replace(/(^|\/)report\.json$/, "$1report.html");
  return page.split("/").map(encodeURIComponent).join("/");
}

const [stripWidth, stripHeight] = [600, 14];

const colours: Readonly<Record<string, string>> = {
  pass: "var(--pass)",
  conformant: "var(--pass)",
  fail: "var(--fail)",
  broken: "var(--fail)",
  inconclusive: "var(--inconclusive)",
  partly: "var(--inconclusive)",
};

function stripSection(
  title: string,
  strips: readonly TrendStrip[],
  entries: readonly TrendEntry[],
): Markup | undefined {
  if (strips.length === 0) return undefined;
  const rows = strips.map(
    (strip) =>
      html`<tr>
        <th scope="row" class="id" title="${strip.text}">${strip.name}</th>
        <td>${stripDrawing(strip, entries)}</td>
      </tr>`,
  );
  return html`<section class="sheet" aria-labelledby="${title}">
    <h2 id="${title}">${title}</h2>
    <p class="quiet">
      From the first report to the last: green holds, red is broken, yellow was not decided, grey
      not tried.
    </p>
    ${table("wide", ["name", "over the reports"], rows)}
  </section>`;
}

function stripDrawing({ name, stretches }: TrendStrip, entries: readonly TrendEntry[]): Markup {
  const step = stripWidth / entries.length;
  const parts = stretches.flatMap(({ verdict, from, count }) => {
    const entry = entries[from];
    if (verdict === undefined || entry === undefined) return [];
    const what = `${verdict} from ${momentOf(entry.startedAt)}, ${countText(count, "report")}`;
    const [x, width] = [(from * step).toFixed(2), (count * step).toFixed(2)];
    const fill = colours[verdict] ?? "var(--line)";
    return [
      html`<a href="${hrefOf(entry.file)}"
        ><rect x="${x}" width="${width}" height="${stripHeight}" style="fill:${fill}">
          <title>${what}</title>
        </rect></a
      >`,
    ];
  });
  return html`<svg
    viewBox="0 0 ${stripWidth} ${stripHeight}"
    width="${stripWidth}"
    height="${stripHeight}"
    role="group"
    aria-label="${name}: ${stretches.map(({ verdict = "not in it", count }) => `${count} ${verdict}`).join(", ")}"
  >
    ${parts}
  </svg>`;
}

function figureSection(
  figures: readonly TrendFigure[],
  entries: readonly TrendEntry[],
): Markup | undefined {
  if (figures.length === 0) return undefined;
  const rows = figures.slice(0, figuresMax).map((figure) => {
    const values = figure.points.map(({ ms }) => ms);
    const last = figure.points.at(-1);
    return html`<tr>
      <th scope="row">${figure.name}</th>
      <td>${curve(figure, entries.length)}</td>
      <td>${durationText(Math.min(...values))} to ${durationText(Math.max(...values))}</td>
      <td>${durationText(last?.ms ?? 0)}</td>
    </tr>`;
  });
  return html`<section class="sheet" aria-labelledby="figures">
    <h2 id="figures">Figures</h2>
    <p class="quiet">
      Of times of answers the median is drawn, and up to the 90th percentile the area. One run is
      one value: \`compare\` tells whether two differ.
    </p>
    ${table("wide", ["figure", "over the reports", "from, to", "latest"], rows)}
  </section>`;
}

const curveHeight = 40;

function curve({ name, points }: TrendFigure, count: number): Markup {
  const most = Math.max(...points.map(({ ms, p90Ms = ms }) => Math.max(ms, p90Ms)), 1e-9);
  const place = (at: number, ms: number): string =>
    `${((stripWidth * (at + 0.5)) / count).toFixed(1)},${(curveHeight - (curveHeight * ms) / most).toFixed(1)}`;
  const line = points.map(({ at, ms }) => place(at, ms)).join(" ");
  const upper = points.map(({ at, ms, p90Ms = ms }) => place(at, p90Ms));
  const area = `${upper.join(" ")} ${line.split(" ").toReversed().join(" ")}`;
  const hasArea = points.some(({ p90Ms }) => p90Ms !== undefined);
  return html`<svg
    viewBox="0 0 ${stripWidth} ${curveHeight}"
    width="${stripWidth}"
    height="${curveHeight}"
    role="img"
    aria-label="${name}, ${countText(points.length, "report")}, from 0 to ${durationText(most)}"
  >
    ${hasArea ? html`<polygon points="${raw(area)}" style="fill:var(--line)" />` : undefined}
    <polyline points="${raw(line)}" style="fill:none;stroke:var(--link);stroke-width:1.5" />
  </svg>`;
}

function reportSection(entries: readonly TrendEntry[]): Markup {
  const rows = entries.toReversed().map((entry) => {
    const failed = entry.requirements.filter(({ verdict }) => verdict === "fail").length;
    return html`<tr>
      <th scope="row">${linkTo(entry)}</th>
      <td>${entry.command}</td>
      <td>${entry.target.baseUrl}</td>
      <td>
        ${failed === 0 ? "none broken" : `${failed} broken`}${entry.interrupted === true ? ", stopped" : ""}
      </td>
    </tr>`;
  });
  return html`<section class="sheet" aria-labelledby="reports">
    <h2 id="reports">Reports</h2>
    ${table("wide", ["report", "command", "target", "outcome"], rows)}
  </section>`;
}

function dayOf(startedAt: string): string {
  return new Date(startedAt).toISOString().slice(0, "2026-01-31".length);
}

function momentOf(startedAt: string): string {
  return new Date(startedAt).toISOString().slice(0, "2026-01-31T00:00".length).replace("T", " ");
}

import { cutText } from "../bounded.ts";
import type { LoadSeries, Report, ReportLoad } from "../model.ts";
import { loadWarnings } from "../load/side-by-side.ts";
import { enginesTable, scenariosTable } from "./engines.ts";
import { limiterView } from "./limiter.ts";
import { briefLimits } from "./limits.ts";
import { html, prose, type Markup } from "./markup.ts";
import type { Drawings } from "./page-context.ts";
import { fact, factList, table } from "./table.ts";
import { timeText, verdictMark } from "./verdict-mark.ts";

/** Shows load: the engines side by side, then each scenario with figures and plots; undefined if none ran. */
export function loadSection(report: Report, drawings: Drawings): Markup | undefined {
  if (report.load.length === 0) return undefined;
  return html`<section class="sheet load" aria-labelledby="load">
    <h2 id="load">Load</h2>
    ${enginesTable(report)} ${scenariosTable(report)}
    ${loadWarnings(report).map((line) => html`<p>Warning: ${prose(line)}</p>`)}
    ${report.load.map((result) => scenarioView(result, drawings))}
  </section>`;
}

function scenarioView(result: ReportLoad, drawings: Drawings): Markup {
  const { scenario, engine, figures, requirements, limiter, series = [] } = result;
  return html`<details class="scenario">
    <summary>
      <span class="check-title">${cutText(scenario, briefLimits.nameChars)}</span>
      <span class="quiet">${engine}</span>
      <span class="id">${cutText(requirements.join(" "), briefLimits.nameChars)}</span>
      ${limiter === undefined ? undefined : html`<span class="reading">${cutText(limiter.best.kind, briefLimits.nameChars)}</span>`}
    </summary>
    <div class="inside">
      ${factList(Object.entries(figures).map(([name, value]) => figure(name, value)))}
      ${statementsTable(result)} ${curveTable(result)}
      ${limiter === undefined ? undefined : limiterView(limiter)}
      ${series.map((trace) => traceView(trace, drawings))}
    </div>
  </details>`;
}

/** Shows each sentence about a fault with its verdict and what breaks it, and what the hooks printed. */
function statementsTable({ statements = [], hooks = [] }: ReportLoad): readonly Markup[] {
  const rows = statements.map(
    ({ text, verdict, looked, by, reason = "", jobs = [] }) =>
      html`<tr>
        <td>${text}</td>
        <td>${verdictMark(verdict)}</td>
        <td>${String(looked)} by ${by}</td>
        <td>
          ${breaksOf(jobs, reason).map((line) => html`<div>${prose(cutText(line, 4 * briefLimits.valueChars))}</div>`)}
        </td>
      </tr>`,
  );
  const printed = hooks.map(({ name, durationMs, failed, output }) =>
    fact(
      `hook ${name}`,
      cutText(`${timeText(durationMs)} ${failed ?? ""} ${output}`, briefLimits.valueChars),
    ),
  );
  return [
    ...(rows.length === 0
      ? []
      : [table("wide", ["Sentence", "Verdict", "Looked at", "What breaks it"], rows)]),
    ...(printed.length === 0 ? [] : [factList(printed)]),
  ];
}

function breaksOf(
  jobs: NonNullable<NonNullable<ReportLoad["statements"]>[number]["jobs"]>,
  reason: string,
): readonly string[] {
  return jobs.length === 0 ? [reason] : jobs.map(({ job, why }) => `${job}: ${why}`);
}

/** Shows rates against percentiles. */
function curveTable({ curve = [] }: ReportLoad): Markup | undefined {
  if (curve.length === 0) return undefined;
  const head = ["Requests a second", "Median", "95 %", "99 %", "Refused", "Failed"];
  const rows = curve.map(
    ({ perSecond, p50Ms, p95Ms, p99Ms, refused, failed }) =>
      html`<tr>
        <th scope="row">${String(perSecond)}</th>
        ${[p50Ms, p95Ms, p99Ms].map((ms) => html`<td>${timeText(ms)}</td>`)}
        <td>${String(refused)}</td>
        <td>${String(failed)}</td>
      </tr>`,
  );
  return table("wide", head, rows);
}

function figure(name: string, value: string | number): Markup {
  const text = typeof value === "number" ? String(Number(value.toFixed(3))) : value;
  return fact(cutText(name, briefLimits.nameChars), cutText(text, briefLimits.valueChars));
}

/** Shows a trace as one line of figures, with its plots below where scripts run. */
function traceView(trace: LoadSeries, drawings: Drawings): Markup {
  const { name, operation, clock, requests, bins, cap, limit, latency } = trace;
  const facts: readonly (readonly [string, string])[] = [
    ["Sent", String(requests)],
    ["Accepted", String(total(bins.accepted))],
    ["Refused", String(total(bins.refused))],
    ["Most in flight", `${Math.max(0, ...bins.inFlight)}${cap === undefined ? "" : ` of ${cap}`}`],
    ...(limit === undefined ? [] : [["Limit", String(limit)] as const]),
    ...(latency === undefined ? [] : [["Median answer", timeText(latency.p50Ms)] as const]),
  ];
  return html`<h3>
      ${cutText(name, briefLimits.nameChars)}
      <span class="quiet">${cutText(operation ?? "", briefLimits.nameChars)} ${clock} clock</span>
    </h3>
    ${factList(facts.map(([what, value]) => figure(what, value)))}
    <div class="plots" data-series="${drawings.series(trace)}" hidden></div>`;
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

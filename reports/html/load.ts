import { cutText } from "../bounded.ts";
import type { LoadSeries, Report, ReportLoad } from "../model.ts";
import { enginesTable, scenariosTable } from "./engines.ts";
import { limiterView } from "./limiter.ts";
import { briefLimits } from "./limits.ts";
import { html, type Markup } from "./markup.ts";
import type { Drawings } from "./page-context.ts";
import { fact, factList } from "./table.ts";
import { timeText } from "./verdict-mark.ts";

/** Shows load: the engines side by side, then each scenario with figures and plots; undefined if none ran. */
export function loadSection(report: Report, drawings: Drawings): Markup | undefined {
  if (report.load.length === 0) return undefined;
  return html`<section class="sheet load" aria-labelledby="load">
    <h2 id="load">Load</h2>
    ${enginesTable(report)} ${scenariosTable(report)}
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
      ${limiter === undefined ? undefined : limiterView(limiter)}
      ${series.map((trace) => traceView(trace, drawings))}
    </div>
  </details>`;
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

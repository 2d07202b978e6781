import { cutText } from "../bounded.ts";
import { engineDisagreements, engines, sideBySide } from "../load/side-by-side.ts";
import { type EngineView, type SideBySide } from "../load/side-by-side.ts";
import type { Report, ReportLoad } from "../model.ts";
import { scenariosWithVerdict } from "../verdicts.ts";
import { briefLimits } from "./limits.ts";
import { html, prose, type Markup } from "./markup.ts";
import { table } from "./table.ts";
import { verdictMark } from "./verdict-mark.ts";

/** Shows the engines' verdicts side by side for requirements that several engines judged; undefined if none. */
export function enginesTable(report: Report): Markup | undefined {
  const rows = sideBySide(report).map(engineRow);
  if (rows.length === 0) return undefined;
  return html`<h3>The engines side by side</h3>
    ${table("wide", ["Requirement", ...engines], rows)}
    ${engineDisagreements(report).map((line) => html`<p>${prose(line)}</p>`)}`;
}

function engineRow(row: SideBySide): Markup {
  return html`<tr>
    <th scope="row">
      <a class="id" href="#${row.id}">${row.id}</a>
      ${row.disagree ? html`<span class="mark fail">they disagree</span>` : undefined}
    </th>
    ${engines.map((engine) => html`<td>${said(row, engine)}</td>`)}
  </tr>`;
}

function said({ views }: SideBySide, engine: EngineView["engine"]): readonly Markup[] {
  return views
    .filter((view) => view.engine === engine)
    .map(({ verdict, reason, figures }) => {
      const { accepted } = figures;
      const told = accepted === undefined ? (reason ?? "") : `${String(accepted)} accepted`;
      return html`<div>
        ${verdictMark(verdict)} <span class="quiet">${cutText(told, briefLimits.valueChars)}</span>
      </div>`;
    });
}

/** Shows the load scenarios that have a verdict of their own, with their questions and answers. */
export function scenariosTable(report: Report): Markup | undefined {
  const rows = scenariosWithVerdict(report).map(scenarioRow);
  if (rows.length === 0) return undefined;
  return html`<h3>Load scenarios</h3>
    ${table("wide", ["Question", "Verdict", "Answer"], rows)}`;
}

function scenarioRow({ question = "", verdict = "not-run", answer, reason }: ReportLoad): Markup {
  return html`<tr>
    <td>${cutText(question, 2 * briefLimits.valueChars)}</td>
    <td>${verdictMark(verdict)}</td>
    <td>${prose(cutText(answer ?? reason ?? "", 4 * briefLimits.valueChars))}</td>
  </tr>`;
}

import type { Report, ReportLoad, ReportRequirement } from "../model.ts";
import { html, type Markup } from "./markup.ts";
import { verdictMark } from "./verdict-mark.ts";

/** What each engine says of each requirement of load, side by side; nothing where only one spoke. */
export function enginesTable({ load, requirements }: Report): Markup | undefined {
  const engines = [...new Set(load.map(({ engine }) => engine))].toSorted();
  const tested = requirements.filter(({ id }) =>
    load.some((each) => each.requirements.includes(id)),
  );
  if (engines.length === 0 || tested.length === 0) return undefined;
  return html`<h3>The engines side by side</h3>
    <table class="wide">
      <thead>
        <tr>
          <th scope="col">Requirement</th>
          ${engines.map((engine) => html`<th scope="col">${engine}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${tested.map(
          (entry) =>
            html`<tr>
              <th scope="row"><a class="id" href="#${entry.id}">${entry.id}</a></th>
              ${engines.map((engine) => html`<td>${said(entry, load, engine)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>`;
}

/** The verdicts of that engine's checks, and the figure that tells most: how many were accepted. */
function said(
  { id, checks }: ReportRequirement,
  load: readonly ReportLoad[],
  engine: ReportLoad["engine"],
): Markup {
  const results = load.filter((each) => each.engine === engine && each.requirements.includes(id));
  const names = new Set(results.map(({ scenario }) => scenario));
  const spoke = checks.filter(({ name }) => names.has(name));
  if (results.length === 0) return html`<span class="quiet">–</span>`;
  const accepted = results
    .map(({ figures }) => figures["accepted"])
    .find((each) => each !== undefined);
  return html`${spoke.map(({ verdict }) => verdictMark(verdict))}
    <span class="quiet">${accepted === undefined ? "" : `${String(accepted)} accepted`}</span>`;
}

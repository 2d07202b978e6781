import { cutText } from "../bounded.ts";
import { groupedDeviations } from "../deviations.ts";
import type { Report, ReportRequirement } from "../model.ts";
import { verdictWords } from "../sentence.ts";
import { briefLimits } from "./limits.ts";
import { html, prose, type Markup } from "./markup.ts";
import { idLinks, table } from "./table.ts";
import { verdictGlyph } from "./verdict-mark.ts";

/** Shows the target's dialect: its readings of open requirements, and its deviations. */
export function dialectSection(report: Report): Markup {
  const open = report.requirements.filter(({ level }) => level === "open");
  const seen = open.filter(({ reading }) => reading !== undefined).length;
  return html`<section class="sheet" aria-labelledby="dialect">
    <h2 id="dialect">The target's dialect</h2>
    <p class="quiet">
      Where the specification is silent or contradicts itself every accepted reading conforms. The
      target showed ${seen} of
      ${open.length}${report.dialect === undefined ? "" : html`; it was held to the dialect <code>${cutText(report.dialect, briefLimits.nameChars)}</code>`}.
    </p>
    ${deviationList(report)}
    <details>
      <summary>Each open requirement with the reading seen</summary>
      ${table(
        "wide readings",
        ["Requirement", "Question", "Reading seen", "Accepted"],
        open.map(readingRow),
      )}
    </details>
  </section>`;
}

function readingRow({ id, text, verdict, reading, accepts = [] }: ReportRequirement): Markup {
  return html`<tr>
    <td>
      ${verdictGlyph(verdict)}<span class="visually-hidden">${verdictWords[verdict]}</span
      ><a class="id" href="#${id}">${id}</a>
    </td>
    <td>${prose(text)}</td>
    <td>
      ${reading === undefined ? html`<span class="quiet">not seen</span>` : html`<strong>${prose(cutText(reading, 2 * briefLimits.valueChars))}</strong>`}
    </td>
    <td class="quiet">${accepts.join(" · ")}</td>
  </tr>`;
}

/** Lists what the target does differently from the specification and its dialect allows. */
function deviationList(report: Report): Markup | undefined {
  const groups = groupedDeviations(report);
  if (groups.length === 0) return undefined;
  return html`<details class="deviations">
    <summary>${groups.length} deviations from the specification that the dialect lets pass</summary>
    <dl>
      ${groups.map(
        ({ what, requirements, seen }) =>
          html`<dt>${cutText(what, briefLimits.nameChars)}</dt>
            <dd>
              ${idLinks(requirements)}
              <span class="quiet">${cutText(seen, 2 * briefLimits.valueChars)}</span>
            </dd>`,
      )}
    </dl>
  </details>`;
}

import { cutText } from "../bounded.ts";
import type { Report, ReportProfile } from "../model.ts";
import { missingText, profilesText, sharesText } from "../profiles.ts";
import { briefLimits } from "./limits.ts";
import { html, type Markup } from "./markup.ts";
import { table } from "./table.ts";

/** Shows each profile with its verdict and what it is missing; undefined for an old report without profiles. */
export function profileSection(report: Report): Markup | undefined {
  const { profiles = [] } = report;
  if (profiles.length === 0) return undefined;
  return html`<section class="sheet" aria-labelledby="profiles">
    <h2 id="profiles">Profiles</h2>
    <p>${cutText(profilesText(report), 2 * briefLimits.valueChars)}.</p>
    <p class="quiet">Requirements decided here: ${sharesText(report)}.</p>
    <details>
      <summary>Each profile with what it is missing</summary>
      ${table("wide", ["Profile", "Verdict", "Pass", "Missing"], profiles.map(profileRow))}
    </details>
  </section>`;
}

function profileRow(profile: ReportProfile): Markup {
  return html`<tr>
    <th scope="row">${cutText(profile.name, briefLimits.nameChars)}</th>
    <td>${profile.verdict}</td>
    <td>${profile.pass} of ${profile.of}</td>
    <td>${cutText(missingText(profile), briefLimits.valueChars)}</td>
  </tr>`;
}

import { cutText } from "../bounded.ts";
import type { Report } from "../model.ts";
import { briefly } from "./limits.ts";
import { html, type Markup } from "./markup.ts";
import { undecidedByNeed } from "./needs.ts";

const groupsMax = 60;

/** What stayed open, and the one thing each needs. */
export function undecidedSection(report: Report): Markup | undefined {
  const groups = undecidedByNeed(report);
  if (groups.length === 0) return undefined;
  return html`<section class="sheet" aria-labelledby="undecided">
    <h2 id="undecided">What was not decided, and what it needs</h2>
    <table class="wide">
      <thead>
        <tr>
          <th scope="col">It needs</th>
          <th scope="col">Because</th>
          <th scope="col">Requirements</th>
        </tr>
      </thead>
      <tbody>
        ${groups.slice(0, groupsMax).map(
          ({ need, reason, requirements }) =>
            html`<tr>
              <td>${need}</td>
              <td>${cutText(reason, 2 * briefly.valueChars)}</td>
              <td>${requirements.map(({ id }) => html`<a class="id" href="#${id}">${id}</a> `)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${groups.length > groupsMax ? html`<p class="quiet">More stand in their areas below.</p>` : undefined}
  </section>`;
}

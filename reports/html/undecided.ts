import { cutText } from "../bounded.ts";
import { notRunGroupsOf, withVerdict } from "../groups.ts";
import type { Report } from "../model.ts";
import type { NotRunGroup } from "../not-run.ts";
import { briefLimits } from "./limits.ts";
import { html, prose, type Markup } from "./markup.ts";
import { table } from "./table.ts";

const groupsMax = 60;

/** Lists what was not decided, and what would decide it. */
export function undecidedSection(report: Report): Markup | undefined {
  const groups = [...undecidedGroups(report), ...notRunGroupsOf(report)];
  if (groups.length === 0) return undefined;
  return html`<section class="sheet" aria-labelledby="undecided">
    <h2 id="undecided">What was not decided, and what it needs</h2>
    ${table("wide", ["Not decided", "Requirements"], groups.slice(0, groupsMax).map(groupRow))}
    ${groups.length > groupsMax ? html`<p class="quiet">More stand in their areas below.</p>` : undefined}
  </section>`;
}

function groupRow({ text, ids }: NotRunGroup): Markup {
  return html`<tr>
    <td>${prose(cutText(text, 4 * briefLimits.valueChars))}</td>
    <td>${ids.map((id) => html`<a class="id" href="#${id}">${id}</a> `)}</td>
  </tr>`;
}

/** Groups the inconclusive requirements by their reason. */
function undecidedGroups(report: Report): readonly NotRunGroup[] {
  const groups = new Map<string, string[]>();
  for (const { id, reason = "", allowed } of withVerdict(report, "inconclusive")) {
    const text = `tried and not decided${allowed === true ? " (allowed)" : ""}: ${reason}`;
    groups.set(text, [...(groups.get(text) ?? []), id]);
  }
  return [...groups].map(([text, ids]) => ({ text: `${ids.length} ${text}`, ids }));
}

import { cutText } from "../bounded.ts";
import { requirementsOf, sharedCauses } from "../causes.ts";
import type { Cause, Report } from "../model.ts";
import { exchangeView } from "./exchange.ts";
import { briefLimits, causeLimits } from "./limits.ts";
import { html, prose, type Markup } from "./markup.ts";
import { notRunGroupsOf, withVerdict } from "../groups.ts";
import type { NotRunGroup } from "../not-run.ts";
import { idLinks, table } from "./table.ts";

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
    <td>${idLinks(ids)}</td>
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

/** Shows each cause with what it breaks and keeps from being decided, one exchange and the lines of a dialect. */
export function causesSection(report: Report): Markup | undefined {
  const causes = sharedCauses(report);
  if (causes.length === 0) return undefined;
  return html`<section class="failures" aria-labelledby="causes">
    <h2 id="causes">Causes</h2>
    <ul>
      ${causes.map((cause) => causeItem(cause, report))}
    </ul>
  </section>`;
}

function causeItem(cause: Cause, report: Report): Markup {
  const { id, text, adapted, dialect, evidence } = cause;
  const { broken, kept } = requirementsOf(cause, report);
  const [shown] = evidence;
  return html`<li>
    <span class="text">${prose(cutText(text, causeLimits.valueChars))}</span>
    <code class="quiet">${cutText(id, briefLimits.nameChars)}</code>
    ${idsLine("Breaks", broken)} ${idsLine("Keeps from being decided", kept)}
    ${adapted === undefined ? undefined : html`<p>The run: ${prose(cutText(adapted, causeLimits.valueChars))}</p>`}
    ${dialect === undefined ? undefined : html`<p>Dialect: <code>${cutText(JSON.stringify(dialect), causeLimits.valueChars)}</code></p>`}
    ${shown === undefined ? undefined : exchangeView(shown, { limits: causeLimits, open: false })}
  </li>`;
}

function idsLine(what: string, ids: readonly string[]): Markup | undefined {
  if (ids.length === 0) return undefined;
  return html`<p>${what}: ${idLinks(ids)}</p>`;
}

import { verdicts } from "../verdict.ts";
import type { Report, ReportRequirement } from "../model.ts";
import { verdictWords } from "../sentence.ts";
import { html, type Markup } from "./markup.ts";
import type { PageContext } from "./page-context.ts";
import { requirementView } from "./requirement.ts";
import { verdictGlyph } from "./verdict-mark.ts";

/** Shows every requirement by area, in the catalogue's order. */
export function areaSections(report: Report, context: PageContext): Markup {
  return html`${areasOf(report).map(([area, entries]) => areaSection(area, entries, context))}`;
}

function areaSection(
  area: string,
  entries: readonly ReportRequirement[],
  context: PageContext,
): Markup {
  return html`<section class="area" aria-labelledby="area-${area}">
    <h2 id="area-${area}">${area} ${tally(entries)}</h2>
    ${entries.map((entry) => requirementView(entry, context))}
  </section>`;
}

/** Shows how many requirements have each verdict. */
export function tally(entries: readonly ReportRequirement[]): Markup {
  const counts = verdicts
    .map((verdict) => [verdict, entries.filter((each) => each.verdict === verdict).length] as const)
    .filter(([, count]) => count > 0);
  return html`<span class="tally">
    ${counts.map(
      ([verdict, count]) =>
        html`<span title="${verdictWords[verdict]}">${verdictGlyph(verdict)}${count}</span>`,
    )}
  </span>`;
}

/** Groups requirements by area, in the catalogue's order. */
export function areasOf(
  report: Report,
): readonly (readonly [area: string, entries: readonly ReportRequirement[]])[] {
  const areas = new Set(report.requirements.map(({ area }) => area));
  return [...areas].map((area) => [
    area,
    report.requirements.filter((entry) => entry.area === area),
  ]);
}

import type { Report } from "../model.ts";
import { verdictWords } from "../sentence.ts";
import { countText } from "../words.ts";
import { areasOf, tally } from "./areas.ts";
import { html, type Markup } from "./markup.ts";
import { verdictGlyph } from "./verdict-mark.ts";

/** Shows every requirement as one cell, in one row for each area. */
export function matrix(report: Report): Markup {
  return html`<section class="sheet matrix" aria-labelledby="matrix">
    <h2 id="matrix">${countText(report.requirements.length, "requirement")} by area</h2>
    <dl>
      ${areasOf(report).map(
        ([area, entries]) =>
          html`<div>
            <dt><a href="#area-${area}">${area}</a></dt>
            <dd>
              <ul>
                ${entries.map(
                  ({ id, verdict, level, text }) =>
                    html`<li>
                      <a
                        class="cell ${verdict} ${level}"
                        href="#${id}"
                        title="${id}: ${verdictWords[verdict]} (${level}). ${text.replaceAll("`", "")}"
                        >${verdictGlyph(verdict)}<span class="visually-hidden"
                          >${id} ${verdictWords[verdict]}</span
                        ></a
                      >
                    </li>`,
                )}
              </ul>
            </dd>
            <dd class="sum">${tally(entries)}</dd>
          </div>`,
      )}
    </dl>
  </section>`;
}

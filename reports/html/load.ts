import { cutText } from "../bounded.ts";
import type { Report, ReportLoad } from "../model.ts";
import { briefly } from "./limits.ts";
import { html, type Markup } from "./markup.ts";

/** The load scenarios' figures; nothing where none ran. */
export function loadSection({ load }: Report): Markup | undefined {
  if (load.length === 0) return undefined;
  return html`<section class="load" aria-labelledby="load">
    <h2 id="load">Load</h2>
    ${load.map((result) => scenarioView(result))}
  </section>`;
}

function scenarioView({ scenario, engine, figures, requirements }: ReportLoad): Markup {
  return html`<h3>${cutText(scenario, briefly.nameChars)} <span class="quiet">${engine}</span></h3>
    <dl class="facts">
      ${Object.entries(figures).map(
        ([name, value]) =>
          html`<div>
            <dt>${cutText(name, briefly.nameChars)}</dt>
            <dd>${cutText(String(value), briefly.valueChars)}</dd>
          </div>`,
      )}
    </dl>
    <p>${requirements.map((id) => html`<a class="id" href="#${id}">${id}</a> `)}</p>`;
}

import { cutText } from "../bounded.ts";
import type { LoadResult, Report } from "../model.ts";
import type { Limits } from "./limits.ts";
import { html, type Markup } from "./markup.ts";

/** The load scenarios' figures; nothing where none ran. */
export function loadSection({ load }: Report, limits: Limits): Markup | undefined {
  if (load.length === 0) return undefined;
  return html`<section class="load" aria-labelledby="load">
    <h2 id="load">Load</h2>
    ${load.map((result) => scenarioView(result, limits))}
  </section>`;
}

function scenarioView(
  { scenario, engine, figures, requirements }: LoadResult,
  limits: Limits,
): Markup {
  return html`<h3>${cutText(scenario, limits.nameChars)} <span class="quiet">${engine}</span></h3>
    <dl class="facts">
      ${Object.entries(figures).map(
        ([name, value]) =>
          html`<div>
            <dt>${cutText(name, limits.nameChars)}</dt>
            <dd>${cutText(String(value), limits.valueChars)}</dd>
          </div>`,
      )}
    </dl>
    <p>${requirements.map((id) => html`<a class="id" href="#${id}">${id}</a> `)}</p>`;
}

import { levels } from "../../openapi/requirements.ts";
import { verdicts } from "../verdict.ts";
import type { Report } from "../model.ts";
import { verdictWords } from "../sentence.ts";
import { html, type Markup } from "./markup.ts";
import { verdictGlyph } from "./verdict-mark.ts";

/** The filter form. It is hidden until its script runs; without the script everything is shown. */
export function toolbar({ summary, requirements: entries }: Report): Markup {
  const { requirements } = summary;
  const areas = [...new Set(entries.map(({ area }) => area))];
  return html`<form class="toolbar" role="search" aria-label="Filter requirements" hidden>
    <fieldset>
      <legend class="visually-hidden">Show verdicts</legend>
      ${verdicts.map(
        (verdict) =>
          html`<label class="toggle"
            ><input type="checkbox" name="verdict" value="${verdict}" checked />
            ${verdictGlyph(verdict)}${verdictWords[verdict]}
            <span class="quiet">${requirements[verdict]}</span></label
          >`,
      )}
    </fieldset>
    <fieldset>
      <legend class="visually-hidden">Show levels</legend>
      ${levels.map(
        (level) =>
          html`<label class="toggle"
            ><input type="checkbox" name="level" value="${level}" checked />${level}</label
          >`,
      )}
    </fieldset>
    <label
      ><span class="visually-hidden">Area</span>
      <select name="area">
        <option value="">all areas</option>
        ${areas.map((area) => html`<option value="${area}">${area}</option>`)}
      </select></label
    >
    <label class="search"
      ><span class="visually-hidden">Text in id, sentence, reading, reason or check</span>
      <input type="search" name="text" placeholder="Filter by text" autocomplete="off"
    /></label>
    <button type="reset" class="small-button" hidden>Show all</button>
    <output aria-live="polite"></output>
  </form>`;
}

import { verdicts, type Report } from "../model.ts";
import { verdictWords } from "../sentence.ts";
import { html, type Markup } from "./markup.ts";
import { verdictGlyph } from "./verdict-mark.ts";

/** The filter. Hidden until the script that serves it runs: without it everything is shown. */
export function toolbar({ summary: { requirements } }: Report): Markup {
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
    <label class="search"
      ><span class="visually-hidden">Text in id, sentence, reading, reason or check</span>
      <input type="search" name="text" placeholder="Filter by text" autocomplete="off"
    /></label>
    <output aria-live="polite"></output>
  </form>`;
}

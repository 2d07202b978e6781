import { cutText } from "../bounded.ts";
import type { LimiterFit, LimiterIdentification } from "../model.ts";
import { briefLimits } from "./limits.ts";
import { html, type Markup } from "./markup.ts";
import { table } from "./table.ts";
import { timeText } from "./verdict-mark.ts";

/** Shows what a limiter was identified as, and how well each other kind explains what was admitted. */
export function limiterView({ operation, best, others, window }: LimiterIdentification): Markup {
  const fits = [best, ...others.toSorted((a, b) => a.differences - b.differences)];
  const measured =
    window === undefined
      ? ""
      : `, measured between ${timeText(window.shortestMs)} and ${timeText(window.longestMs)}`;
  return html`<h3>The limiter of ${cutText(operation, briefLimits.nameChars)}</h3>
    <p>
      Identified as <strong>${cutText(best.kind, briefLimits.nameChars)}</strong>, ${best.limit} in
      ${timeText(best.windowMs)}${measured}.
    </p>
    ${table(
      "wide fits",
      ["Kind", "Limit", "Window", "Requests it does not explain"],
      fits.map((fit) => fitRow(fit, fits)),
    )}`;
}

function fitRow(fit: LimiterFit, all: readonly LimiterFit[]): Markup {
  const most = Math.max(1, ...all.map(({ differences }) => differences));
  const share = ((12 * fit.differences) / most).toFixed(1);
  return html`<tr>
    <th scope="row">${cutText(fit.kind, briefLimits.nameChars)}</th>
    <td class="number">${fit.limit}</td>
    <td class="number">${timeText(fit.windowMs)}</td>
    <td><span class="fit" style="width:${share}rem"></span>${fit.differences}</td>
  </tr>`;
}

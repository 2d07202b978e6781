import { cutText } from "../bounded.ts";
import type { Mismatch, ReportCheck } from "../model.ts";
import { durationText } from "../sentence.ts";
import { exchangeView, pre } from "./exchange.ts";
import { restNote, type Limits } from "./limits.ts";
import { html, type Markup } from "./markup.ts";
import { verdictMark } from "./verdict-mark.ts";

/** One check under a requirement. A pass takes one line; anything else shows why. */
export function checkView(check: ReportCheck, limits: Limits): Markup {
  const { name, title, verdict, durationMs } = check;
  return html`<li class="check">
    <div class="check-head">
      ${verdictMark(verdict)}
      <span class="check-title">${cutText(title ?? name, limits.nameChars)}</span>
      <span class="quiet">
        ${title === undefined ? undefined : html`<code>${cutText(name, limits.nameChars)}</code>`}
        ${verdict === "not-run" ? undefined : durationText(durationMs)}
      </span>
    </div>
    ${verdict === "pass" ? undefined : findings(check, limits)}
  </li>`;
}

function findings({ reason, mismatches = [], ...check }: ReportCheck, limits: Limits): Markup {
  const why =
    mismatches.length === 0 && reason !== undefined
      ? html`<p class="reason">${cutText(reason, limits.valueChars)}</p>`
      : undefined;
  return html`${why} ${mismatchTable(mismatches, limits)} ${stepList(check.steps ?? [], limits)}
  ${exchanges(check, limits)}`;
}

function mismatchTable(
  mismatches: readonly Mismatch<string>[],
  limits: Limits,
): Markup | undefined {
  if (mismatches.length === 0) return undefined;
  const cell = (text: string): Markup => html`<td>${cutText(text, limits.valueChars)}</td>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Expected and got">
      <table class="mismatches">
        <thead>
          <tr>
            <th scope="col">at</th>
            <th scope="col">expected</th>
            <th scope="col">got</th>
          </tr>
        </thead>
        <tbody>
          ${mismatches.slice(0, limits.mismatches).map(
            ({ at, expected, got }) =>
              html`<tr>
                ${cell(at)}${cell(expected)}${cell(got)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${more(mismatches.length - limits.mismatches, "differences")}`;
}

function stepList(steps: readonly string[], limits: Limits): Markup | undefined {
  if (steps.length === 0) return undefined;
  return html`<h4>The shortest sequence that fails</h4>
    <ol class="steps">
      ${steps.slice(0, limits.steps).map((step) => html`<li>${cutText(step, limits.valueChars)}</li>`)}
    </ol>
    ${more(steps.length - limits.steps, "steps")}`;
}

function exchanges(
  { evidence, script }: Pick<ReportCheck, "evidence" | "script">,
  limits: Limits,
): Markup | undefined {
  if (evidence.length === 0 && script === undefined) return undefined;
  if (limits.exchanges === 0) return more(evidence.length, "exchanges");
  const repeat = script ?? evidence.map(({ curl }) => curl).join("\n");
  // The last exchanges are those that showed it.
  const shown = evidence.slice(-limits.exchanges);
  return html`<h4>Exchanges</h4>
    ${more(evidence.length - shown.length, "exchanges before these")}
    ${shown.map((each) => exchangeView(each, limits))} ${repeatBlock(repeat, limits)}`;
}

function repeatBlock(script: string, limits: Limits): Markup {
  const whole = script.length <= limits.scriptChars;
  return html`<details class="repeat">
    <summary>Repeat it in a shell</summary>
    <div class="copyable">
      ${
        // Half a script must not be run.
        whole
          ? html`<button type="button" class="copy" hidden>Copy</button>`
          : html`<p class="quiet">${restNote}</p>`
      }
      ${pre(script, limits.scriptChars)}
    </div>
  </details>`;
}

function more(count: number, what: string): Markup | undefined {
  return count > 0
    ? html`<p class="quiet">${count} more ${what} are not shown. ${restNote}</p>`
    : undefined;
}

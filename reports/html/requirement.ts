import { cutText } from "../bounded.ts";
import type { ReportRequirement } from "../model.ts";
import type { Verdict } from "../verdict.ts";
import { levelMeaning } from "../sentence.ts";
import { checkView } from "./check.ts";
import { pre } from "./exchange.ts";
import { briefLimits } from "./limits.ts";
import { html, prose, type Markup } from "./markup.ts";
import type { PageContext } from "./page-context.ts";
import { fact } from "./table.ts";
import { verdictMark } from "./verdict-mark.ts";

/** Shows one requirement: a line with its verdict that opens to show its checks. Its id is its deep link. */
export function requirementView(entry: ReportRequirement, context: PageContext): Markup {
  const { id, area, level, text, verdict, reading } = entry;
  return html`<details
    class="requirement"
    id="${id}"
    data-verdict="${verdict}"
    data-level="${level}"
    data-area="${area}"
  >
    <summary>
      ${verdictMark(verdict)}
      <span class="id">${id}</span>
      <span class="text">
        ${prose(text)}
        ${reading === undefined ? undefined : html`<span class="reading">${prose(cutText(reading, briefLimits.valueChars))}</span>`}
      </span>
      <span class="level">${level}</span>
    </summary>
    <div class="inside">${facts(entry)} ${repeat(entry, context)} ${checks(entry, context)}</div>
  </details>`;
}

function facts(entry: ReportRequirement): Markup {
  const { id, level, section, needs = [], accepts = [], reading, reason, verdict } = entry;
  const { deviations = [], allowed, known } = entry;
  return html`<dl class="facts">
    ${fact("Level", `${level}: ${levelMeaning[level]}`)} ${fact("Section", section)}
    ${needs.length === 0 ? undefined : fact("Needs", needs.join(", "))}
    ${accepts.length === 0 ? undefined : fact("Accepts", accepts.join(" · "))}
    ${reading === undefined ? undefined : fact("Reading", prose(cutText(reading, briefLimits.valueChars)))}
    ${reason === undefined || verdict === "fail" ? undefined : fact("Reason", prose(cutText(reason, briefLimits.valueChars)))}
    ${known === undefined ? undefined : fact("Known", prose(cutText(known, briefLimits.valueChars)))}
    ${allowed === true ? fact("Allowed", "It may stay undecided: --allow-inconclusive names it") : undefined}
    ${deviations.map(({ what, seen }) =>
      fact(
        "Deviation",
        `${cutText(what, briefLimits.nameChars)}; ${cutText(seen, briefLimits.valueChars)}`,
      ),
    )}
    ${fact("Link", html`<a href="#${id}">#${id}</a>`)}
  </dl>`;
}

/** Shows the command that runs the requirement again, where it failed or was not decided. */
function repeat({ id, verdict }: ReportRequirement, context: PageContext): Markup | undefined {
  const line = verdict === "pass" || verdict === "not-run" ? undefined : context.repeatLineOf(id);
  if (line === undefined) return undefined;
  return html`<div class="copyable repeat-line">
    <button type="button" class="copy small-button" hidden>Copy the line that repeats it</button>
    ${pre(line, line.length)}
  </div>`;
}

/** Orders checks so that failures come first. */
const rank: Readonly<Record<Verdict, number>> = { fail: 0, inconclusive: 1, "not-run": 2, pass: 3 };

function checks({ checks: list }: ReportRequirement, context: PageContext): Markup | undefined {
  if (list.length === 0) return undefined;
  const failuresFirst = list.toSorted((a, b) => rank[a.verdict] - rank[b.verdict]);
  return html`<ul class="checks">
    ${failuresFirst.map((check) => checkView(check, context))}
  </ul>`;
}

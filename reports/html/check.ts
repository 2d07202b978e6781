import { cutText } from "../bounded.ts";
import type { Evidence, Mismatch, ReportCheck } from "../model.ts";
import { countText, durationText } from "../words.ts";
import { failingCurl } from "../failing-evidence.ts";
import { differenceText } from "../sentence.ts";
import { differencesIn } from "./differences.ts";
import { exchangeView, pre } from "./exchange.ts";
import { restNote, type PageLimits } from "./limits.ts";
import { html, prose, type Markup } from "./markup.ts";
import type { Drawings, PageContext } from "./page-context.ts";
import { attemptLines } from "../groups.ts";
import { table } from "./table.ts";
import { timelineView } from "./timeline.ts";
import { verdictMark } from "./verdict-mark.ts";

/** Shows one check under a requirement. A pass takes one line; other verdicts show why. */
export function checkView(check: ReportCheck, context: PageContext): Markup {
  const { name, title, verdict, durationMs, timelines } = check;
  const limits = context.limits(check);
  const { drawings } = context;
  return html`<li class="check">
    <div class="check-head">
      ${verdictMark(verdict)}
      <span class="check-title">${cutText(title ?? name, limits.nameChars)}</span>
      <span class="quiet">
        ${title === undefined ? undefined : html`<code>${cutText(name, limits.nameChars)}</code>`}
        ${verdict === "not-run" ? undefined : durationText(durationMs)}
      </span>
    </div>
    ${attemptLines(check).map((line) => html`<p class="quiet">${cutText(line, limits.valueChars)}</p>`)}
    ${verdict === "pass" ? passedTimeline(timelines, drawings) : findings(check, limits, drawings)}
  </li>`;
}

/** Shows the timeline of a check that passed, collapsed. */
function passedTimeline(
  timelines: ReportCheck["timelines"],
  drawings: Drawings,
): Markup | undefined {
  const view = timelineView(timelines, drawings);
  return view === undefined
    ? undefined
    : html`<details class="plain">
        <summary>When it looked</summary>
        ${view}
      </details>`;
}

function findings(
  { reason, mismatches = [], ...check }: ReportCheck,
  limits: PageLimits,
  drawings: Drawings,
): Markup {
  const [first] = mismatches;
  if (limits.exchanges === 0 && first !== undefined)
    return inOneLine(first, check.evidence, limits);
  const why =
    mismatches.length === 0 && reason !== undefined
      ? html`<p class="reason">${prose(cutText(reason, limits.valueChars))}</p>`
      : undefined;
  return html`${why} ${mismatchTable(mismatches, limits)} ${stepList(check.steps ?? [], limits)}
  ${printedLines(check.printed ?? [])}
  ${limits.exchanges === 0 ? undefined : timelineView(check.timelines, drawings)}
  ${exchanges({ ...check, mismatches }, limits)}`;
}

/** Shows the first mismatch in one line, for a check that has no share of the page's budget. */
function inOneLine(
  mismatch: Mismatch<string>,
  evidence: readonly Evidence[],
  limits: PageLimits,
): Markup {
  const rest =
    evidence.length === 0 ? "" : ` (${countText(evidence.length, "exchange")} in report.json)`;
  return html`<p class="reason">${cutText(differenceText(mismatch), limits.valueChars)}${rest}</p>`;
}

function mismatchTable(
  mismatches: readonly Mismatch<string>[],
  limits: PageLimits,
): Markup | undefined {
  if (mismatches.length === 0) return undefined;
  const cell = (text: string): Markup => html`<td>${cutText(text, limits.valueChars)}</td>`;
  const rows = mismatches.slice(0, limits.mismatches).map(
    ({ at, expected, got }) =>
      html`<tr>
        ${cell(at)}${cell(expected)}${cell(got)}
      </tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Expected and got">
      ${table("mismatches", ["at", "expected", "got"], rows)}
    </div>
    ${more(mismatches.length - limits.mismatches, "differences")}`;
}

function stepList(steps: readonly string[], limits: PageLimits): Markup | undefined {
  if (steps.length === 0) return undefined;
  return html`<h3>The shortest sequence that fails</h3>
    <ol class="steps">
      ${steps.slice(0, limits.steps).map((step) => html`<li>${cutText(step, limits.valueChars)}</li>`)}
    </ol>
    ${more(steps.length - limits.steps, "steps")}`;
}

function printedLines(lines: readonly string[]): Markup | undefined {
  if (lines.length === 0) return undefined;
  return html`<h3>What was printed meanwhile</h3>
    <pre>${lines.join("\n")}</pre>`;
}

function exchanges(
  check: Pick<ReportCheck, "evidence" | "script" | "mismatches">,
  limits: PageLimits,
): Markup | undefined {
  const { evidence, script, mismatches = [] } = check;
  if (evidence.length === 0 && script === undefined) return undefined;
  if (limits.exchanges === 0) return more(evidence.length, "exchanges");
  const repeat = script ?? failingCurl({ ...check, mismatches });
  const differences = differencesIn(evidence, mismatches);
  const shown = shownOf(evidence, differences, limits.exchanges);
  // Where no exchange is known to show a difference, the last one is opened: it most likely does.
  const [first] =
    differences.size === 0 ? shown.slice(-1) : shown.filter((each) => differences.has(each));
  return html`<h3>Exchanges</h3>
    ${more(evidence.length - shown.length, "exchanges")}
    ${shown.map((each) =>
      exchangeView(each, { limits, differences: differences.get(each), open: each === first }),
    )}
    ${repeat === undefined ? undefined : repeatBlock(repeat, limits)}`;
}

/** Picks exchanges: first those that show a difference, then others of the same jobs, then the last. Keeps order. */
function shownOf(
  evidence: readonly Evidence[],
  differences: ReadonlyMap<Evidence, unknown>,
  count: number,
): readonly Evidence[] {
  const withDifference = evidence.filter((each) => differences.has(each)).slice(0, count);
  const jobs = new Set(withDifference.map(({ job }) => job).filter((job) => job !== undefined));
  const others = evidence.filter((each) => !differences.has(each));
  const ranked = [
    ...others.filter(({ job = "" }) => !jobs.has(job)),
    ...others.filter(({ job = "" }) => jobs.has(job)),
  ];
  const room = count - withDifference.length;
  const kept = new Set([...withDifference, ...(room > 0 ? ranked.slice(-room) : [])]);
  return evidence.filter((each) => kept.has(each));
}

function repeatBlock(script: string, limits: PageLimits): Markup {
  const whole = script.length <= limits.scriptChars;
  return html`<details class="repeat">
    <summary>Repeat it in a shell</summary>
    <div class="copyable">
      ${
        // Half a script must not be run.
        whole
          ? html`<button type="button" class="copy small-button" hidden>Copy the script</button>`
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

import { cutText } from "../bounded.ts";
import { sharedCauseOf } from "../causes.ts";
import { withVerdict } from "../groups.ts";
import { verdicts } from "../verdict.ts";
import type { Report, ReportRequirement } from "../model.ts";
import {
  absenceLines,
  cleanedUpText,
  differenceText,
  targetFacts,
  overallOf,
  sentText,
  verdictSentence,
  verdictWords,
} from "../sentence.ts";
import { countText, durationText } from "../words.ts";
import { briefLimits } from "./limits.ts";
import { html, prose, type Markup } from "./markup.ts";
import { fact, factList } from "./table.ts";
import { verdictGlyph } from "./verdict-mark.ts";

/** Shows the head of the page: the verdict in one sentence, the counts, and what was tested and how. */
export function overview(report: Report): Markup {
  return html`<header class="top ${overallOf(report)}">
    <p class="brand">
      queueproof <span class="quiet">${cutText(report.command, briefLimits.nameChars)} report</span>
    </p>
    <h1>${verdictSentence(report)}</h1>
    ${absenceLines(report).map((line) => html`<p class="reason">${prose(clipped(line, 2 * briefLimits.valueChars))}</p>`)}
    ${countsBar(report)} ${runFacts(report)}
  </header>`;
}

function countsBar({ summary, requirements }: Report): Markup {
  const counts = summary.requirements;
  const share = (count: number): string =>
    ((100 * count) / Math.max(1, requirements.length)).toFixed(2);
  return html`<div class="bar" aria-hidden="true">
      ${verdicts.map((each) =>
        counts[each] === 0
          ? undefined
          : html`<span class="${each}" style="flex-basis:${share(counts[each])}%"></span>`,
      )}
    </div>
    <ul class="counts" aria-label="Requirements by verdict">
      ${verdicts.map(
        (each) =>
          html`<li>
            ${verdictGlyph(each)}<strong>${counts[each]}</strong> ${verdictWords[each]}
            <span class="quiet">${countText(summary.checks[each], "check")}</span>
          </li>`,
      )}
    </ul>`;
}

function runFacts(report: Report): Markup {
  const { seed, durationMs, startedAt, tool, dialect } = report;
  const facts: readonly (readonly [name: string, value: string])[] = [
    ...targetFacts(report),
    ...(dialect === undefined ? [] : [["Dialect", dialect] as const]),
    ...(sentText(report) === "" ? [] : [["Load sent", sentText(report)] as const]),
    ...(cleanedUpText(report) === "" ? [] : [["Cleaned up", cleanedUpText(report)] as const]),
    ["Started", startedAt],
    ["Duration", durationText(durationMs)],
    ["Seed", String(seed)],
    ["Version", `${tool.version}${tool.node === undefined ? "" : `, Node ${tool.node}`}`],
  ];
  return factList(facts.map(([name, value]) => fact(name, cutText(value, 300))));
}

const failuresListedMax = 50;

/** Lists what failed, each with its first difference or its cause, above the long list of requirements. */
export function failureList(report: Report): Markup | undefined {
  const failed = withVerdict(report, "fail");
  if (failed.length === 0) return undefined;
  const rest = failed.length - failuresListedMax;
  return html`<section class="failures" aria-labelledby="failures">
    <h2 id="failures">What failed</h2>
    <ul>
      ${failed.slice(0, failuresListedMax).map((entry) => failureItem(entry, report))}
    </ul>
    ${rest > 0 ? html`<p class="quiet">${rest} more stand in their areas below.</p>` : undefined}
  </section>`;
}

function failureItem(entry: ReportRequirement, report: Report): Markup {
  const { id, text } = entry;
  const cause = sharedCauseOf(entry, report);
  const why = cause === undefined ? firstDifference(entry) : `for its cause: ${cause.text}`;
  return html`<li>
    <a class="id" href="#${id}">${id}</a>
    <span class="text">${prose(text)}</span>
    <span class="why">${prose(clipped(why, 2 * briefLimits.valueChars))}</span>
  </li>`;
}

function firstDifference({ checks, reason = "" }: ReportRequirement): string {
  const failed = checks.filter(({ verdict }) => verdict === "fail");
  const [first] = failed.flatMap(({ mismatches = [] }) => mismatches);
  return first === undefined ? reason : differenceText(first);
}

/** Marks a cut by three dots only, since the whole text stands below. */
function clipped(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax)}…`;
}

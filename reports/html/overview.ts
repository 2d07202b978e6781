import { cutText } from "../bounded.ts";
import { groupedDeviations } from "../deviations.ts";
import { groupByReason, withVerdict } from "../groups.ts";
import { verdicts, type Report, type ReportRequirement } from "../model.ts";
import { countText, durationText, overallOf, verdictSentence, verdictWords } from "../sentence.ts";
import { briefly } from "./limits.ts";
import { html, prose, type Markup } from "./markup.ts";
import { verdictGlyph } from "./verdict-mark.ts";

/** The head of the page: the verdict in one sentence, the counts, and what was tested how. */
export function overview(report: Report): Markup {
  return html`<header class="top ${overallOf(report)}">
    <p class="brand">queueproof <span class="quiet">${report.command} report</span></p>
    <h1>${verdictSentence(report)}</h1>
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
  const { target, seed, durationMs, startedAt, tool, dialect } = report;
  const capabilities = target.capabilities.length === 0 ? "none" : target.capabilities.join(", ");
  const facts: readonly (readonly [name: string, value: string])[] = [
    ["Target", target.baseUrl],
    ["Endpoint", target.endpointId],
    ["Capabilities", capabilities],
    ...(dialect === undefined ? [] : [["Dialect", dialect] as const]),
    ["Started", startedAt],
    ["Duration", durationText(durationMs)],
    ["Seed", String(seed)],
    ["Version", `${tool.version}${tool.node === undefined ? "" : `, Node ${tool.node}`}`],
  ];
  return html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${cutText(value, 300)}</dd>
        </div>`,
    )}
  </dl>`;
}

const failuresListedMax = 50;

/** What failed, each with its first difference, before the long list. */
export function failureList(report: Report): Markup | undefined {
  const failed = withVerdict(report, "fail");
  if (failed.length === 0) return undefined;
  const rest = failed.length - failuresListedMax;
  return html`<section class="failures" aria-labelledby="failures">
    <h2 id="failures">What failed</h2>
    <ul>
      ${failed.slice(0, failuresListedMax).map((entry) => failureItem(entry))}
    </ul>
    ${rest > 0 ? html`<p class="quiet">${rest} more stand in their areas below.</p>` : undefined}
  </section>`;
}

function failureItem({ id, text, reason = "" }: ReportRequirement): Markup {
  return html`<li>
    <a class="id" href="#${id}">${id}</a>
    <span class="text">${prose(text)}</span>
    <span class="why">${cutText(reason, briefly.valueChars)}</span>
  </li>`;
}

/** What the target does otherwise, and its dialect lets pass. */
export function deviationList(report: Report): Markup | undefined {
  const groups = groupedDeviations(report);
  if (groups.length === 0) return undefined;
  return html`<details class="undecided deviations">
    <summary>
      Deviations from the specification that the dialect ${report.dialect ?? ""} lets pass
    </summary>
    <dl>
      ${groups.map(
        ({ what, requirements, seen }) =>
          html`<dt>${cutText(what, briefly.nameChars)}</dt>
            <dd>
              ${requirements.map((id) => html`<a class="id" href="#${id}">${id}</a> `)}
              <span class="quiet">${cutText(seen, 2 * briefly.valueChars)}</span>
            </dd>`,
      )}
    </dl>
  </details>`;
}

/** What stayed open and why, by reason. */
export function undecidedList(report: Report): Markup | undefined {
  const groups = [
    ...groupByReason(withVerdict(report, "inconclusive")),
    ...groupByReason(withVerdict(report, "not-run")),
  ];
  if (groups.length === 0) return undefined;
  return html`<details class="undecided">
    <summary>What was not decided, by reason</summary>
    <dl>
      ${groups.map(
        ({ reason, requirements }) =>
          html`<dt>${cutText(reason, briefly.valueChars)} (${requirements.length})</dt>
            <dd>${requirements.map(({ id }) => html`<a class="id" href="#${id}">${id}</a> `)}</dd>`,
      )}
    </dl>
  </details>`;
}

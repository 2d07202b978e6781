import { createHash } from "node:crypto";
import { sharedCauses } from "../causes.ts";
import type { RepeatLineOf, Report, ReportProfile } from "../model.ts";
import { noRepeatLine } from "../repeat-line.ts";
import { overallOf, verdictWords } from "../sentence.ts";
import { areaSections, areasOf, tally } from "./areas.ts";
import { dialectSection } from "./dialect.ts";
import { causesSection } from "./causes.ts";
import { chartLicence, clientScript } from "./generated/client.ts";
import { limitsFor, briefLimits } from "./limits.ts";
import { loadSection } from "./load.ts";
import { html, raw, type Markup } from "./markup.ts";
import { failureList, overview } from "./overview.ts";
import { pageText } from "./page.ts";
import { Drawings } from "./page-context.ts";
import { pageDataId, type PageData } from "./page-data.ts";
import { toolbar } from "./toolbar.ts";
import { undecidedSection } from "./causes.ts";
import { countText } from "../words.ts";
import { verdictGlyph } from "./verdict-mark.ts";
import { cutText } from "../bounded.ts";
import { missingText, profilesText, sharesText } from "../profiles.ts";
import { table } from "./table.ts";
import { workerSection } from "./worker.ts";

/** The page runs one script, named by its hash. */
const scriptSource = `'sha256-${createHash("sha256").update(clientScript).digest("base64")}'`;

/** Kept in one piece, because the hash is that of the exact bytes between the tags. */
const scriptElement = raw(`<script>${clientScript}</script>`);

/** Writes report.html: the whole report in one file that needs no network and no server. */
export function writeHtml(report: Report, repeatLineOf: RepeatLineOf = noRepeatLine): string {
  const context = { limits: limitsFor(report), drawings: new Drawings(), repeatLineOf };
  const load = loadSection(report, context.drawings);
  const body = html`<a class="skip" href="#requirements">To the requirements</a>
    <div class="page">
      ${overview(report)} ${links(report)}
      <main>
        ${causesSection(report)} ${failureList(report)} ${profileSection(report)} ${matrix(report)}
        ${undecidedSection(report)} ${workerSection(report)} ${dialectSection(report)} ${load}
        <section aria-labelledby="requirements">
          <h2 id="requirements" class="list-title">Requirements</h2>
          ${toolbar(report)} ${areaSections(report, context)}
        </section>
      </main>
      ${footer()}
    </div>
    ${dataElement(context.drawings.data)} ${scriptElement}`;
  return pageText({ title: overallOf(report), scriptSource }, body);
}

function links(report: Report): Markup {
  const { summary, load, profiles = [] } = report;
  const { fail, inconclusive, "not-run": notRun } = summary.requirements;
  const parts = [
    ...(sharedCauses(report).length > 0 ? [["causes", "Causes"]] : []),
    ...(fail > 0 ? [["failures", "What failed"]] : []),
    ...(profiles.length > 0 ? [["profiles", "Profiles"]] : []),
    ["matrix", "Matrix"],
    ...(inconclusive + notRun > 0 ? [["undecided", "Not decided"]] : []),
    ...(report.worker === undefined ? [] : [["worker", "Worker"]]),
    ["dialect", "Dialect"],
    ...(load.length > 0 ? [["load", "Load"]] : []),
    ["requirements", "Requirements"],
  ];
  return html`<nav class="parts" aria-label="Parts of this report">
    <ul>
      ${parts.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}
    </ul>
  </nav>`;
}

function footer(): Markup {
  return html`<footer>
    <p>
      Written by queueproof. Keys and secrets read ***. Press / to filter; add #ID to this page's
      address to link to a requirement.
    </p>
    <details class="plain">
      <summary>Licence of the plots</summary>
      <pre tabindex="0">${chartLicence}</pre>
    </details>
  </footer>`;
}

/** Embeds JSON so that no HTML parser misreads it: no tag can begin in it, and every unusual character is escaped. */
function dataElement(data: PageData): Markup {
  const text = JSON.stringify(data).replaceAll(
    /[<>&\u007F-\u009F\p{Bidi_Control}\p{Noncharacter_Code_Point}\u2028\u2029]/gu,
    (character) =>
      Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
        .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
        .join(""),
  );
  return raw(`<script type="application/json" id="${pageDataId}">${text}</script>`);
}

/** Shows every requirement as one cell, in one row for each area. */
function matrix(report: Report): Markup {
  return html`<section class="sheet matrix" aria-labelledby="matrix">
    <h2 id="matrix">${countText(report.requirements.length, "requirement")} by area</h2>
    <dl>
      ${areasOf(report).map(
        ([area, entries]) =>
          html`<div>
            <dt><a href="#area-${area}">${area}</a></dt>
            <dd>
              <ul>
                ${entries.map(
                  ({ id, verdict, level, text }) =>
                    html`<li>
                      <a
                        class="cell ${verdict} ${level}"
                        href="#${id}"
                        title="${id}: ${verdictWords[verdict]} (${level}). ${text.replaceAll("`", "")}"
                        >${verdictGlyph(verdict)}<span class="visually-hidden"
                          >${id} ${verdictWords[verdict]}</span
                        ></a
                      >
                    </li>`,
                )}
              </ul>
            </dd>
            <dd class="sum">${tally(entries)}</dd>
          </div>`,
      )}
    </dl>
  </section>`;
}

/** Shows each profile with its verdict and what it is missing; undefined for an old report without profiles. */
function profileSection(report: Report): Markup | undefined {
  const { profiles = [] } = report;
  if (profiles.length === 0) return undefined;
  return html`<section class="sheet" aria-labelledby="profiles">
    <h2 id="profiles">Profiles</h2>
    <p>${cutText(profilesText(report), 2 * briefLimits.valueChars)}.</p>
    <p class="quiet">Requirements decided here: ${sharesText(report)}.</p>
    <details>
      <summary>Each profile with what it is missing</summary>
      ${table("wide", ["Profile", "Verdict", "Pass", "Missing"], profiles.map(profileRow))}
    </details>
  </section>`;
}

function profileRow(profile: ReportProfile): Markup {
  return html`<tr>
    <th scope="row">${cutText(profile.name, briefLimits.nameChars)}</th>
    <td>${profile.verdict}</td>
    <td>${profile.pass} of ${profile.of}</td>
    <td>${cutText(missingText(profile), briefLimits.valueChars)}</td>
  </tr>`;
}

import { createHash } from "node:crypto";
import type { Report } from "../model.ts";
import { overallOf } from "../sentence.ts";
import { areaLinks, areaSections } from "./areas.ts";
import { limitsFor } from "./limits.ts";
import { loadSection } from "./load.ts";
import { html, raw } from "./markup.ts";
import { deviationList, failureList, overview, undecidedList } from "./overview.ts";
import { script } from "./script.ts";
import { styles } from "./styles.ts";
import { toolbar } from "./toolbar.ts";

/**
 * The page may load nothing and run one script, named by its hash: even markup that slipped through
 * the escaping could neither run nor call out.
 */
const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  `script-src 'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** In one piece, since the hash holds for the very bytes between the tags. */
const scriptElement = raw(`<script>${script}</script>`);

/** report.html: the whole report in one file that needs no network and no server. */
export function writeHtml(report: Report): string {
  const limits = limitsFor(report);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${raw(policy)}" />
        <title>queueproof: ${overallOf(report)}</title>
        <style>
          ${raw(styles)}
        </style>
      </head>
      <body>
        <a class="skip" href="#requirements">To the requirements</a>
        <div class="page">
          ${overview(report)} ${failureList(report)} ${deviationList(report)}
          ${undecidedList(report)} ${loadSection(report)} ${toolbar(report)}
          <div class="columns">
            ${areaLinks(report)}
            <main id="requirements">${areaSections(report, limits)}</main>
          </div>
          <footer>
            Written by queueproof. Keys and secrets read ***. Press / to filter, and add #ID to this
            page's address to link to a requirement.
          </footer>
        </div>
        ${scriptElement}
      </body>
    </html>`;
  return `${page.toString()}\n`;
}

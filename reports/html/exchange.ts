import { cutText, prettyBody } from "../bounded.ts";
import type { Evidence, EvidenceHeaders } from "../model.ts";
import { durationText } from "../sentence.ts";
import type { Limits } from "./limits.ts";
import { html, type Markup } from "./markup.ts";

/** One exchange: a line to open, the request and the answer side by side. */
export function exchangeView(evidence: Evidence, limits: Limits): Markup {
  const { request, response, error, atMs, durationMs } = evidence;
  const took = durationMs === undefined ? "" : `, took ${durationText(durationMs)}`;
  return html`<details class="exchange">
    <summary>
      <code>${request.method} ${cutText(pathOf(request.url), limits.nameChars)}</code>
      <span aria-hidden="true" class="arrow">→</span>
      <strong class="status">${response === null ? "no answer" : response.status}</strong>
      <span class="quiet">at ${durationText(atMs)}${took}</span>
    </summary>
    <div class="sides">
      ${side("Request", cutText(request.url, limits.valueChars), request, limits)}
      ${
        response === null
          ? html`<div class="side">
              <h5>No answer</h5>
              <p>${cutText(error ?? "The target sent none.", limits.valueChars)}</p>
            </div>`
          : side("Answer", `HTTP ${String(response.status)}`, response, limits)
      }
    </div>
  </details>`;
}

interface Message {
  readonly headers: EvidenceHeaders;
  readonly body: unknown;
}

function side(title: string, line: string, { headers, body }: Message, limits: Limits): Markup {
  const text = prettyBody(body);
  return html`<div class="side">
    <h5>${title}</h5>
    <p class="line"><code>${line}</code></p>
    ${headerTable(headers, limits)}
    ${text === "" ? html`<p class="quiet">no body</p>` : pre(text, limits.bodyChars)}
  </div>`;
}

function headerTable(headers: EvidenceHeaders, limits: Limits): Markup | undefined {
  const lines = Object.entries(headers).flatMap(([name, value = []]) =>
    (typeof value === "string" ? [value] : value).map(
      (each) =>
        html`<dt>${cutText(name, limits.nameChars)}</dt>
          <dd>${cutText(each, limits.valueChars)}</dd>`,
    ),
  );
  if (lines.length === 0) return undefined;
  return html`<dl class="headers">${lines.slice(0, limits.headers)}</dl>`;
}

/** A block of code one can scroll with the keyboard. */
export function pre(text: string, charsMax: number): Markup {
  return html`<pre tabindex="0">${cutText(text, charsMax)}</pre>`;
}

function pathOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

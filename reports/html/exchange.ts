import { cutText, prettyBody } from "../bounded.ts";
import type { Evidence, EvidenceHeaders, Mismatch } from "../model.ts";
import { durationText } from "../words.ts";
import { expectedNote, markedBody, type ShownDifferences } from "./differences.ts";
import type { PageLimits } from "./limits.ts";
import { html, raw, type Markup } from "./markup.ts";

interface ExchangeOptions {
  readonly limits: PageLimits;
  /** The differences that this exchange shows. */
  readonly differences?: ShownDifferences | undefined;
  readonly open: boolean;
}

/** Shows one exchange as a line that can be opened, with request and answer side by side. */
export function exchangeView(
  evidence: Evidence,
  { limits, differences = { lines: new Map() }, open }: ExchangeOptions,
): Markup {
  const { request, response, error, atMs, durationMs } = evidence;
  const took = durationMs === undefined ? "" : `, took ${durationText(durationMs)}`;
  const showsDifference = differences.status !== undefined || differences.lines.size > 0;
  return html`<details class="exchange" ${open ? raw(" open") : undefined}>
    <summary>
      <code
        >${cutText(request.method, limits.nameChars)}
        ${cutText(pathOf(request.url), limits.nameChars)}</code
      >
      <span aria-hidden="true" class="arrow">→</span>
      <strong class="status">${response === null ? "no answer" : response.status}</strong>
      ${showsDifference ? html`<span class="expected">the difference</span>` : undefined}
      <span class="quiet">at ${durationText(atMs)}${took}</span>
    </summary>
    <div class="sides">
      ${side("Request", html`${cutText(request.url, limits.valueChars)}`, {
        ...request,
        limits,
        lines: new Map(),
      })}
      ${
        response === null
          ? html`<div class="side">
              <h4>No answer</h4>
              <p>${cutText(error ?? "The target sent none.", limits.valueChars)}</p>
            </div>`
          : side("Answer", statusLine(response.status, differences.status), {
              ...response,
              limits,
              lines: differences.lines,
            })
      }
    </div>
  </details>`;
}

function statusLine(status: number, difference: Mismatch<string> | undefined): Markup {
  const text = `HTTP ${status}`;
  return difference === undefined
    ? html`${text}`
    : html`<mark>${text}</mark> ${expectedNote(difference)}`;
}

interface Message {
  readonly headers: EvidenceHeaders;
  readonly body: unknown;
  readonly limits: PageLimits;
  readonly lines: ShownDifferences["lines"];
}

function side(title: string, line: Markup, { headers, body, limits, lines }: Message): Markup {
  const text = prettyBody(body);
  return html`<div class="side">
    <h4>${title}</h4>
    <p class="line"><code>${line}</code></p>
    ${headerTable(headers, limits)}
    ${text === "" ? html`<p class="quiet">no body</p>` : block(markedBody(text, lines, limits.bodyChars))}
  </div>`;
}

function headerTable(headers: EvidenceHeaders, limits: PageLimits): Markup | undefined {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : value).map(
      (each) =>
        html`<dt>${cutText(name, limits.nameChars)}</dt>
          <dd>${cutText(each, limits.valueChars)}</dd>`,
    ),
  );
  if (lines.length === 0) return undefined;
  return html`<dl class="headers">${lines.slice(0, limits.headers)}</dl>`;
}

/** A block of code that can be scrolled with the keyboard. */
export function pre(text: string, charsMax: number): Markup {
  return block(html`${cutText(text, charsMax)}`);
}

function block(content: Markup): Markup {
  return html`<pre tabindex="0">${content}</pre>`;
}

function pathOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

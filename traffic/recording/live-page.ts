import { once } from "node:events";
import { createServer } from "node:http";
import { refusalOfStranger } from "../../reference/own-page.ts";
import { html, raw } from "../../reports/html/markup.ts";
import type { Markup } from "../../reports/html/markup.ts";
import type { Evidence, EvidenceHeaders } from "../../reports/model.ts";
import type { BreachWords } from "../decision.ts";
import { withBodies } from "./recorded-exchange.ts";
import type { RecordedBody, RecordedExchange } from "./recorded-exchange.ts";

/** A requirement that traffic has broken, as the page shows it. */
export interface LiveFinding extends BreachWords {
  readonly requirement: string;
  readonly text: string;
}

export interface LivePageSource {
  /** What it is about, in one sentence. */
  readonly title: string;
  readonly findings: () => readonly LiveFinding[];
  readonly evidenceOf: (exchange: RecordedExchange) => Evidence;
}

const exchangesShown = 200;
const bodyBytesKept = 4_096;
const refreshSeconds = 2;

/** Lets the page load nothing, run nothing, and stand in no frame. */
const protection = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** A page that shows requests and findings as they come; this machine alone may look at it. */
export class LivePage {
  readonly #source: LivePageSource;
  readonly #latest: RecordedExchange[] = [];
  #count = 0;

  constructor(source: LivePageSource) {
    this.#source = source;
  }

  add(exchange: RecordedExchange): void {
    this.#count += 1;
    this.#latest.push(withBodies(exchange, beginningOf));
    if (this.#latest.length > exchangesShown) this.#latest.shift();
  }

  /** Listens on any free port of loopback. */
  async listen(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
    const server = createServer((request, response) => {
      const refusal = refusalOfStranger({ raw: request, headers: request.headers });
      const { searchParams } = new URL(request.url ?? "/", "http://localhost");
      const text =
        refusal ?? `<!doctype html>\n${this.#page(searchParams.get("filter") ?? "").toString()}`;
      response.writeHead(refusal === undefined ? 200 : 403, protection).end(text);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const stop = async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    };
    return { url: `http://127.0.0.1:${port}/`, stop };
  }

  #page(filter: string): Markup {
    const { title, findings } = this.#source;
    const found = findings();
    const shown = this.#latest
      .map((exchange) => this.#shown(exchange))
      .filter(({ line }) => line.includes(filter))
      .toReversed();
    return html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="refresh" content="${refreshSeconds}" />
        <meta name="color-scheme" content="light dark" />
        <title>queueproof proxy</title>
        <style>
          ${raw(style)}
        </style>
      </head>
      <body>
        <h1>queueproof proxy</h1>
        <p>${title} ${this.#count} exchanges passed.</p>
        <h2>Findings</h2>
        ${found.length === 0 ? html`<p>Nothing is broken yet.</p>` : findingsTable(found)}
        <h2>Requests</h2>
        <form>
          <label>Only those with <input name="filter" value="${filter}" /></label>
        </form>
        ${shown.map(rowOf)}
      </body>
    </html>`;
  }

  /** An exchange with its line, both without keys. */
  #shown(exchange: RecordedExchange): ShownExchange {
    const evidence = this.#source.evidenceOf(exchange);
    const { method, url } = evidence.request;
    const path = url.slice(exchange.origin.length).split("?")[0] ?? "";
    const status = evidence.response?.status ?? evidence.error ?? "no answer";
    const time = new Date(exchange.arrivedMs).toISOString().slice("2026-01-31T".length, -1);
    return { evidence, line: `${time} ${method} ${path} ${status}` };
  }
}

interface ShownExchange {
  readonly evidence: Evidence;
  readonly line: string;
}

function rowOf({ evidence: { request, response, error }, line }: ShownExchange): Markup {
  const answer =
    response === null
      ? (error ?? "no answer")
      : `${response.status}\n${headerLines(response.headers)}\n\n${textOf(response.body)}`;
  const sent = `${request.method} ${request.url}\n${headerLines(request.headers)}\n\n${textOf(request.body)}`;
  return html`<details class="${(response?.status ?? 500) >= 400 ? "refused" : ""}">
    <summary>${line}</summary>
    <pre>${sent}</pre>
    <pre>${answer}</pre>
  </details>`;
}

const style =
  "body{font:15px/1.4 system-ui,sans-serif;margin:1rem auto;max-width:70rem;padding:0 1rem}" +
  "table{border-collapse:collapse}td,th{text-align:left;vertical-align:top;padding:.2rem .6rem .2rem 0}" +
  "summary{font-family:ui-monospace,monospace;cursor:pointer}.refused summary{color:light-dark(#b00020,#ff8a80)}" +
  "pre{white-space:pre-wrap;overflow-wrap:anywhere}";

function findingsTable(findings: readonly LiveFinding[]): Markup {
  return html`<table>
    ${findings.map(
      ({ requirement, text, at, expected, got }) =>
        html`<tr>
          <th>${requirement}</th>
          <td>${text}<br />${at}: expected ${expected}, got ${got}</td>
        </tr>`,
    )}
  </table>`;
}

function beginningOf({ bytes, kind }: RecordedBody): RecordedBody {
  if (bytes.length <= bodyBytesKept) return { bytes, kind };
  // Copied, so that the rest of it can be forgotten.
  return { bytes: Buffer.from(bytes.subarray(0, bodyBytesKept)), kind: "cut" };
}

function headerLines(headers: EvidenceHeaders): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${[value].flat().join(", ")}`)
    .join("\n");
}

/** A body as evidence holds it. */
function textOf(body: unknown): string {
  if (body === undefined || body === null) return "";
  return typeof body === "string" ? body : JSON.stringify(body);
}

import { STATUS_CODES } from "node:http";
import type { Entry, Har, Header, QueryString, Request, Response } from "har-format";
import type { Evidence, EvidenceHeaders, Report } from "./model.ts";
import { absenceLines } from "./sentence.ts";

/** The latest moment that a Date can hold; a report from another program may claim a later one. */
const latestMs = 8_640_000_000_000_000;

const whichExchanges = "the exchanges are those of what failed or was not decided";

/** An exchange with its check and requirements. */
interface Sourced {
  readonly evidence: Evidence;
  readonly name: string;
  readonly ids: string[];
}

/**
 * Writes report.har (HAR 1.2): every exchange of the report, which has those of what failed or was not decided, once, in the order in which they were sent. Sizes and
 * phases that nothing measured are -1, as the format demands.
 */
export function writeHar(report: Report): string {
  const entries = exchangesOf(report)
    .toSorted((a, b) => a.evidence.atMs - b.evidence.atMs)
    .map((exchange) => entryOf(exchange, Date.parse(report.startedAt)));
  const { version } = report.tool;
  const { pass, fail, inconclusive, "not-run": notRun } = report.summary.requirements;
  const counts = `requirements: ${pass} pass, ${fail} fail, ${inconclusive} inconclusive, ${notRun} not-run`;
  const comment = [counts, whichExchanges, ...absenceLines(report)].join("; ");
  const har: Har = {
    log: { version: "1.2", creator: { name: "queueproof", version }, entries, comment },
  };
  return `${JSON.stringify(har, null, 2)}\n`;
}

/** Merges duplicates: a check under two requirements has its exchanges twice; here each stands once, with both ids. */
function exchangesOf(report: Report): readonly Sourced[] {
  const byCheck = new Map<string, Sourced[]>();
  for (const { id, checks } of report.requirements) {
    for (const { name, evidence } of checks.filter((check) => check.evidence.length > 0)) {
      const known =
        byCheck.get(name) ?? evidence.map((each) => ({ evidence: each, name, ids: [] }));
      for (const { ids } of known) ids.push(id);
      byCheck.set(name, known);
    }
  }
  return [...byCheck.values()].flat();
}

function entryOf({ evidence, name, ids }: Sourced, startMs: number): Entry {
  const { atMs, durationMs = 0, request, error } = evidence;
  const comment = `${name} (${ids.join(", ")})`;
  return {
    startedDateTime: new Date(Math.min(startMs + atMs, latestMs)).toISOString(),
    time: durationMs,
    request: requestOf(request),
    response: responseOf(evidence),
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    comment: error === undefined ? comment : `${comment}: ${error}`,
  };
}

function requestOf({ method, url, headers, body }: Evidence["request"]): Request {
  return {
    method,
    url,
    httpVersion: "HTTP/1.1",
    cookies: [],
    headers: headersOf(headers),
    queryString: queryOf(url),
    ...(body !== null && { postData: { mimeType: mimeTypeOf(headers), text: textOf(body) } }),
    headersSize: -1,
    bodySize: -1,
  };
}

/** Writes status 0 for an exchange without an answer, as browsers do. */
function responseOf({ response, error = "" }: Evidence): Response {
  const status = response?.status ?? 0;
  const headers = response?.headers ?? {};
  const text = textOf(response?.body ?? null);
  return {
    status,
    statusText: response === null ? error : (STATUS_CODES[status] ?? ""),
    httpVersion: "HTTP/1.1",
    cookies: [],
    headers: headersOf(headers),
    content: { size: Buffer.byteLength(text), mimeType: mimeTypeOf(headers), text },
    redirectURL: firstOf(headers, "location") ?? "",
    headersSize: -1,
    bodySize: -1,
  };
}

function headersOf(headers: EvidenceHeaders): Header[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : value).map((each) => ({ name, value: each })),
  );
}

function firstOf(headers: EvidenceHeaders, wanted: string): string | undefined {
  return headersOf(headers).find(({ name }) => name.toLowerCase() === wanted)?.value;
}

function mimeTypeOf(headers: EvidenceHeaders): string {
  return firstOf(headers, "content-type") ?? "";
}

function queryOf(url: string): QueryString[] {
  if (!URL.canParse(url)) return [];
  return [...new URL(url).searchParams].map(([name, value]) => ({ name, value }));
}

function textOf(body: unknown): string {
  if (body === null || body === undefined) return "";
  return typeof body === "string" ? body : JSON.stringify(body);
}

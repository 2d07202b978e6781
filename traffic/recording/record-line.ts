import { createHmac, randomBytes } from "node:crypto";
import { Redactor } from "../../client/redactor.ts";
import { parseJson } from "../../client/parse-json.ts";
import { jsonOf, memberOf, withBodies } from "./recorded-exchange.ts";
import type { RecordedBody, RecordedExchange, RecordedHeaders } from "./recorded-exchange.ts";

/** Tells keys apart without showing them: the digest's own key lasts as long as the recording. */
export class KeyDigest {
  readonly #secret = randomBytes(32);
  readonly #redactor = new Redactor();

  /** A key as it stands in the header authorization, in its form. */
  ofHeader(value: string): string {
    const form = /^Bearer /i.exec(value)?.[0] ?? "";
    const key = value.slice(form.length);
    if (key !== "") this.#redactor.add("key", key);
    const digest = createHmac("sha256", this.#secret).update(key).digest("hex").slice(0, 16);
    return `${form}key-${digest}`;
  }

  /** A text without the keys that were seen. */
  redact(text: string): string {
    return this.#redactor.redact(text);
  }
}

/** What is not recorded of headers, besides keys. */
const secretHeaders: ReadonlySet<string> = new Set(["cookie", "set-cookie", "proxy-authorization"]);

/** An exchange as it is recorded: without keys and, unless they are wanted, without the content of inputs and outputs. */
export function withoutContent(
  exchange: RecordedExchange,
  digest: KeyDigest,
  keepsBodies: boolean,
): RecordedExchange {
  const { headers, body, answer, target } = exchange;
  const { authorization } = headers;
  // First of all: what it says has to be known before other texts are shown.
  const key = authorization === undefined ? undefined : digest.ofHeader(authorization);
  return {
    ...exchange,
    target: digest.redact(target),
    headers: {
      ...shownHeaders(headers, digest),
      ...(key !== undefined && { authorization: key }),
    },
    body: bodyWithout(body, digest, keepsBodies),
    ...(answer !== undefined && {
      answer: {
        ...answer,
        headers: shownHeaders(answer.headers, digest),
        body: bodyWithout(answer.body, digest, keepsBodies),
      },
    }),
  };
}

function shownHeaders(headers: RecordedHeaders, digest: KeyDigest): RecordedHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      secretHeaders.has(name) ? "***" : digest.redact(value),
    ]),
  );
}

const contents: ReadonlySet<string> = new Set(["input", "output", "error"]);

function bodyWithout(body: RecordedBody, digest: KeyDigest, keepsBodies: boolean): RecordedBody {
  const text = body.bytes.toString("utf8");
  const value = jsonOf(body);
  if (value === undefined) {
    // What is no JSON has no content that could be told apart from the rest.
    const kept = keepsBodies ? digest.redact(text) : "";
    const kind = body.bytes.length === 0 || keepsBodies ? body.kind : "unknown";
    return { bytes: Buffer.from(kept), kind };
  }
  const shown = strippedOf(value, keepsBodies);
  return { bytes: Buffer.from(digest.redact(JSON.stringify(shown))), kind: "whole" };
}

/** A value with storage settings hidden and, unless they are kept, inputs and outputs empty, but of their kind. */
function strippedOf(value: unknown, keepsBodies: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => strippedOf(item, keepsBodies));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]): [string, unknown] => {
      if (name === "s3Config") return [name, hidden(member)];
      if (contents.has(name)) return [name, keepsBodies ? member : emptied(member)];
      return [name, strippedOf(member, keepsBodies)];
    }),
  );
}

function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (typeof value === "object") return value === null ? null : {};
  if (typeof value === "string") return "";
  return typeof value === "number" ? 0 : false;
}

function hidden(config: unknown): unknown {
  if (typeof config !== "object" || config === null) return config;
  return Object.fromEntries(
    Object.entries(config).map(([name, value]): [string, unknown] => [
      name,
      typeof value === "string" ? "***" : value,
    ]),
  );
}

/** Writes an exchange as one line of a recording. */
export function lineOf(exchange: RecordedExchange): string {
  const written = withBodies(exchange, ({ bytes, kind }) => ({
    text: bytes.toString("utf8"),
    kind,
  }));
  return `${JSON.stringify({ ...written, at: new Date(exchange.arrivedMs).toISOString() })}\n`;
}

/**
 * Reads a line of a recording.
 * @throws TypeError where it is none
 */
export function exchangeOf(line: string): RecordedExchange {
  const value = parseJson(line);
  const answer = memberOf(value, "answer");
  const brokenOff = memberOf(value, "brokenOff");
  const by = memberOf(brokenOff, "by");
  return {
    number: numberAt(value, "number"),
    connection: numberAt(value, "connection"),
    method: textAt(value, "method"),
    origin: textAt(value, "origin"),
    target: textAt(value, "target"),
    headers: headersAt(value),
    body: bodyAt(value),
    arrivedMs: numberAt(value, "arrivedMs"),
    ...(answer !== undefined && {
      answer: {
        status: numberAt(answer, "status"),
        headers: headersAt(answer),
        body: bodyAt(answer),
        beganMs: numberAt(answer, "beganMs"),
        endedMs: numberAt(answer, "endedMs"),
      },
    }),
    ...((by === "client" || by === "server") && {
      brokenOff: { by, atMs: numberAt(brokenOff, "atMs") },
    }),
  };
}

function numberAt(value: unknown, name: string): number {
  const found = memberOf(value, name);
  if (typeof found === "number") return found;
  throw new TypeError(`it has no number ${name}`);
}

function textAt(value: unknown, name: string): string {
  const found = memberOf(value, name);
  if (typeof found === "string") return found;
  throw new TypeError(`it has no text ${name}`);
}

function headersAt(value: unknown): RecordedHeaders {
  const headers = memberOf(value, "headers");
  if (typeof headers !== "object" || headers === null) throw new TypeError("it has no headers");
  return Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, String(text)]));
}

function bodyAt(value: unknown): RecordedBody {
  const body = memberOf(value, "body");
  const kind = memberOf(body, "kind");
  if (kind !== "whole" && kind !== "cut" && kind !== "unknown") {
    throw new TypeError("it has no body");
  }
  return { bytes: Buffer.from(textAt(body, "text")), kind };
}

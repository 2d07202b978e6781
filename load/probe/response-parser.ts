import { textOf } from "../../client/content-codings.ts";

/** A whole answer of HTTP/1.1. */
export interface ProbeAnswer {
  readonly status: number;
  /** Names in lower case; for a name that comes twice, the last value. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the connection may carry another request. */
  readonly keepsAlive: boolean;
}

const headBytesMax = 65_536;
const bodyBytesMax = 4_194_304;
const headEnd = Buffer.from("\r\n\r\n");
const nothing = Buffer.alloc(0);

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly keepsAlive: boolean;
  readonly framing: number | "chunked" | "until-end";
}

/** The bytes are no HTTP/1.1 answer, or are larger than any answer of the API. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/**
 * Reads one answer after the other from the bytes of a connection. A body has a length, comes in
 * chunks, or ends with the connection, which is all this API needs. Never holds more than its bounds.
 */
export class ResponseParser {
  #bytes: Buffer = nothing;
  #head: Head | undefined;
  #last: { readonly text: string; readonly head: Head } | undefined;

  /**
   * Takes received bytes; returns an answer as soon as it is whole.
   * @throws ProtocolError
   */
  push(chunk: Buffer): ProbeAnswer | undefined {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      this.#head ??= this.#readHead();
      if (this.#head === undefined) return undefined;
      if (this.#head.status >= 200) return this.#readBody(this.#head);
      this.#head = undefined;
    }
  }

  /** To be called when the connection has ended: returns the answer whose body ends with it, if there is one. */
  end(): ProbeAnswer | undefined {
    const head = this.#head;
    if (head?.framing !== "until-end") return undefined;
    return this.#complete(head, this.#bytes, this.#bytes.length);
  }

  #readHead(): Head | undefined {
    const end = this.#bytes.indexOf(headEnd);
    if (end < 0) {
      if (this.#bytes.length > headBytesMax) throw new ProtocolError("the head is too large");
      return undefined;
    }
    const text = this.#bytes.toString("latin1", 0, end);
    // Heads mostly repeat, except for the date once a second.
    const head = this.#last?.text === text ? this.#last.head : parseHead(text);
    this.#last = { text, head };
    this.#bytes = this.#bytes.subarray(end + headEnd.length);
    return head;
  }

  #readBody(head: Head): ProbeAnswer | undefined {
    if (this.#bytes.length > bodyBytesMax) throw new ProtocolError("the body is too large");
    const { framing } = head;
    if (framing === "until-end") return undefined;
    if (framing === "chunked") {
      const read = readChunks(this.#bytes);
      return read === undefined ? undefined : this.#complete(head, read.body, read.length);
    }
    if (framing > bodyBytesMax) throw new ProtocolError("the body is too large");
    if (this.#bytes.length < framing) return undefined;
    return this.#complete(head, this.#bytes.subarray(0, framing), framing);
  }

  #complete({ status, headers, keepsAlive }: Head, body: Buffer, length: number): ProbeAnswer {
    this.#bytes = this.#bytes.subarray(length);
    this.#head = undefined;
    // What comes after it was asked for by nothing, and would be taken for the next answer.
    const isLast = this.#bytes.length > 0;
    const { text } = textOf(body, headers["content-encoding"], bodyBytesMax);
    return { status, headers, keepsAlive: keepsAlive && !isLast, body: text };
  }
}

function parseHead(text: string): Head {
  const [first = "", ...lines] = text.split("\r\n");
  const [, minor, code] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(first) ?? [];
  if (code === undefined) throw new ProtocolError("the first line is no status line of HTTP/1.1");
  const status = Number(code);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon <= 0) throw new ProtocolError("a header line has no name");
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const framing = framingOf(status, headers);
  const connection = headers["connection"]?.toLowerCase() ?? (minor === "0" ? "close" : "");
  return {
    status,
    headers,
    framing,
    keepsAlive: framing !== "until-end" && !connection.includes("close"),
  };
}

function framingOf(status: number, headers: Readonly<Record<string, string>>): Head["framing"] {
  if (status < 200 || status === 204 || status === 304) return 0;
  if (headers["transfer-encoding"]?.toLowerCase().endsWith("chunked") === true) return "chunked";
  const length = headers["content-length"];
  if (length === undefined) return "until-end";
  if (!/^\d{1,15}$/.test(length)) throw new ProtocolError("content-length is no number");
  return Number(length);
}

/** The joined chunks and how many bytes they took; undefined where the last has not come yet. */
function readChunks(bytes: Buffer): { body: Buffer; length: number } | undefined {
  const pieces: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const [hex = ""] = bytes.toString("latin1", at, lineEnd).split(";");
    if (!/^[\da-f]{1,7}\s*$/i.test(hex)) throw new ProtocolError("a chunk has no size");
    const size = Number.parseInt(hex, 16);
    at = lineEnd + 2;
    if (size === 0) return readTrailers(bytes, at, pieces);
    if (bytes.length < at + size + 2) return undefined;
    pieces.push(bytes.subarray(at, at + size));
    at += size + 2;
  }
}

function readTrailers(
  bytes: Buffer,
  start: number,
  pieces: readonly Buffer[],
): { body: Buffer; length: number } | undefined {
  let at = start;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    if (lineEnd === at) return { body: Buffer.concat(pieces), length: at + 2 };
    at = lineEnd + 2;
  }
}

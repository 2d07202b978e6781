import type { IncomingMessage, ServerResponse } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { ForwardedAnswer, ForwardedRequest } from "./forward.ts";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

/** Writes an answer as HTTP/1.0 does: its body ends with the connection. */
function writeHttp10(socket: Socket, { status, headers, body }: ForwardedAnswer): void {
  const lines = [
    `HTTP/1.0 ${status} ${STATUS_CODES[status] ?? ""}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`),
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  socket.end(body);
}

/** Bytes of a body that a chunk holds. */
const chunkBytes = 200;

/** A body in chunks with extensions, and a trailer behind the last (RFC 9112, 7.1). */
function chunksOf(body: Buffer): Buffer {
  const parts: (string | Buffer)[] = [];
  for (let at = 0; at < body.length; at += chunkBytes) {
    const chunk = body.subarray(at, at + chunkBytes);
    parts.push(`${chunk.length.toString(16)};part="${at}";of=${body.length}\r\n`, chunk, "\r\n");
  }
  parts.push("0;last\r\nx-parts: all\r\n\r\n");
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

/** What a front does with one request. */
export interface Passage {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** Which request of its connection this is, from 1. */
  readonly number: number;
  readonly request: ForwardedRequest;
  /** Asks the server behind, with the request as it came or another one; aborts it by default when the client leaves. */
  readonly pass: (request?: ForwardedRequest, signal?: AbortSignal) => Promise<ForwardedAnswer>;
}

/** How a front treats requests, one after the other. */
export type Mood = (passage: Passage) => Promise<void> | void;

/** Passes everything on as it is. */
export const plain: Mood = async ({ response, pass }) => reply(response, await pass());

/** Codes every body, whatever was asked. */
export function codes(coding: "gzip" | "br" | "deflate"): Mood {
  const coders = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync };
  return async ({ response, pass }) => {
    const { status, headers, body } = await pass();
    if (body.length === 0) return reply(response, { status, headers, body });
    const coded = { ...headers, "content-encoding": coding, vary: "accept-encoding" };
    return reply(response, { status, headers: coded, body: coders[coding](body) });
  };
}

/** Sends a 102 and a 103 before each answer. */
export const informs: Mood = async ({ response, pass }) => {
  const answer = await pass();
  response.socket?.write("HTTP/1.1 102 Processing\r\n\r\n");
  response.socket?.write("HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n");
  reply(response, answer);
};

/** Closes a connection after so many requests, and says so in the last answer. */
export function closesAfter(requests: number): Mood {
  return async ({ response, pass, number }) => {
    const answer = await pass();
    // What comes after the announced end is not answered (RFC 9112, 9.6).
    if (number > requests) return void response.socket?.destroy();
    if (number === requests) response.setHeader("connection", "close");
    return reply(response, answer);
  };
}

/** Closes a connection after so many requests, without a word. */
export function dropsAfter(requests: number): Mood {
  return async ({ response, pass, number }) => {
    reply(response, await pass());
    if (number >= requests)
      response.on("finish", () => setImmediate(() => response.socket?.destroy()));
  };
}

/** Closes a connection that was not used for so long, without a word. */
export function dropsIdle(idleMs: number): Mood {
  const timers = new WeakMap<object, NodeJS.Timeout>();
  return async ({ incoming, response, pass }) => {
    const { socket } = incoming;
    clearTimeout(timers.get(socket));
    response.on("finish", () =>
      timers.set(
        socket,
        setTimeout(() => socket.destroy(), idleMs),
      ),
    );
    reply(response, await pass());
  };
}

/** Speaks HTTP/1.0. */
export const speaksHttp10: Mood = async ({ response, pass }) => {
  const answer = await pass();
  if (response.socket !== null) writeHttp10(response.socket, answer);
};

/** Sends bodies in chunks that have extensions, and trailers. */
export const extendsChunks: Mood = async ({ response, pass }) => {
  const answer = await pass();
  const { status, headers, body } = answer;
  if (status === 204) return reply(response, answer);
  response.writeHead(status, { ...headers, "transfer-encoding": "chunked" });
  // Node would write chunks of its own.
  response.chunkedEncoding = false;
  return void response.end(chunksOf(body));
};

const page = (status: number): string =>
  `<html><head><title>${status}</title></head><body><center>nginx</center></body></html>\r\n`;

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-type": "text/html", server: "nginx" }).end(page(status));
}

/** Refuses what comes faster than so many requests a second, with a burst of as many. */
export function limitsTo(perSecond: number, status: 429 | 503): Mood {
  let tokens = perSecond;
  let lastMs = performance.now();
  return async (passage) => {
    const nowMs = performance.now();
    tokens = Math.min(perSecond, tokens + ((nowMs - lastMs) / 1000) * perSecond);
    lastMs = nowMs;
    if (tokens < 1) return refuse(passage.response, status);
    tokens -= 1;
    return plain(passage);
  };
}

function reply(response: ServerResponse, { status, headers, body }: ForwardedAnswer): void {
  const length = status === 204 ? {} : { "content-length": body.length };
  response.writeHead(status, { ...headers, ...length }).end(body);
}

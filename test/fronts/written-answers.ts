import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

import type { ForwardedAnswer } from "./forward.ts";

/** Writes an answer as HTTP/1.0 does: its body ends with the connection. */
export function writeHttp10(socket: Socket, { status, headers, body }: ForwardedAnswer): void {
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
export function chunksOf(body: Buffer): Buffer {
  const parts: (string | Buffer)[] = [];
  for (let at = 0; at < body.length; at += chunkBytes) {
    const chunk = body.subarray(at, at + chunkBytes);
    parts.push(`${chunk.length.toString(16)};part="${at}";of=${body.length}\r\n`, chunk, "\r\n");
  }
  parts.push("0;last\r\nx-parts: all\r\n\r\n");
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

import type { IncomingMessage } from "node:http";

/** How much more than the limit is read and thrown away, so that a client can finish and read the refusal. */
const DISCARDED_BYTES_MAX = 67_108_864;

/** What came of reading a payload. */
export type Payload =
  | { readonly kind: "complete"; readonly bytes: Buffer }
  | { readonly kind: "too-large" }
  | { readonly kind: "broken-off" };

const empty: Payload = { kind: "complete", bytes: Buffer.alloc(0) };

/**
 * Reads a payload of at most `bytesMax`. A larger one is never kept: what has come is dropped and
 * what follows is read past, up to a bound.
 */
export function readBody(message: IncomingMessage, bytesMax: number): Promise<Payload> {
  const announcedBytes = Number(message.headers["content-length"] ?? 0);
  if (announcedBytes > bytesMax + DISCARDED_BYTES_MAX)
    return Promise.resolve({ kind: "too-large" });
  if (message.complete && message.readableLength === 0) return Promise.resolve(empty);

  return new Promise((resolve) => {
    let parts: Buffer[] = [];
    let bytes = 0;
    message.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes <= bytesMax) parts.push(part);
      else parts = [];
      if (bytes > bytesMax + DISCARDED_BYTES_MAX) resolve({ kind: "too-large" });
    });
    message.once("end", () => {
      resolve(bytes > bytesMax ? { kind: "too-large" } : { kind: "complete", bytes: join(parts) });
    });
    message.once("error", () => resolve({ kind: "broken-off" }));
    message.once("close", () => resolve({ kind: "broken-off" }));
  });
}

function join(parts: readonly Buffer[]): Buffer {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
}

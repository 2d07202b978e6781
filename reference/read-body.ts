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
    // None of it is kept where it is known to be too large; a large one that fits is not kept twice.
    const kept = announcedBytes > bytesMax ? undefined : keeping(announcedBytes);
    let bytes = 0;
    message.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes <= bytesMax) kept?.add(part);
      else kept?.drop();
      if (bytes > bytesMax + DISCARDED_BYTES_MAX) resolve({ kind: "too-large" });
    });
    message.once("end", () => {
      if (kept === undefined || bytes > bytesMax) resolve({ kind: "too-large" });
      else resolve({ kind: "complete", bytes: kept.taken() });
    });
    message.once("error", () => resolve({ kind: "broken-off" }));
    message.once("close", () => resolve({ kind: "broken-off" }));
  });
}

interface Kept {
  add(part: Buffer): void;
  drop(): void;
  /** All that was added, once. */
  taken(): Buffer;
}

/** Payloads below this are put together from their parts: most come in one. */
const WHOLE_BYTES_MIN = 1_048_576;

function keeping(announcedBytes: number): Kept {
  return announcedBytes < WHOLE_BYTES_MIN ? keepingParts() : keepingWhole(announcedBytes);
}

function keepingParts(): Kept {
  let parts: Buffer[] = [];
  return {
    add: (part) => void parts.push(part),
    drop: () => (parts = []),
    taken: () => {
      const [only] = parts;
      const whole = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
      parts = [];
      return whole;
    },
  };
}

/** Where the length is announced the parts go to their place at once; Node sees to it that no more comes. */
function keepingWhole(announcedBytes: number): Kept {
  let whole = Buffer.allocUnsafeSlow(announcedBytes);
  let bytes = 0;
  const drop = (): void => void (whole = Buffer.alloc(0));
  return {
    add: (part) => {
      part.copy(whole, bytes);
      bytes += part.length;
    },
    drop,
    taken: () => {
      const taken = whole.subarray(0, bytes);
      drop();
      return taken;
    },
  };
}

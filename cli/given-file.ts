import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs";

import { codeOf } from "./errors.ts";

/** Larger than any file that settings name. */
const bytesMax = 512 * 1_048_576;
/** How much of a pipe is read, and how long one may stay silent. */
const pipe = { bytesMax: 64 * 1_048_576, silentMsMax: 5_000, everyMs: 20, chunkBytes: 65_536 };

/**
 * Reads a file that somebody names: a plain one, or a pipe, of which only so much is read and for so long waited. A device
 * would fill the memory or never end.
 * @throws Error where it cannot be read, or is neither
 */
export function readGivenFile(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const kind = fstatSync(file);
    if (kind.isFIFO()) return readPipe(file);
    if (!kind.isFile() && !kind.isDirectory()) throw new Error("it is no file");
    if (kind.size > bytesMax) throw new Error("it is larger than 512 MB");
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function readPipe(file: number): Buffer {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let silentMs = 0;
  while (silentMs < pipe.silentMsMax) {
    const chunk = Buffer.alloc(pipe.chunkBytes);
    const read = readIfThere(file, chunk);
    if (read === 0 && bytes > 0) return Buffer.concat(chunks);
    if (read === undefined || read === 0) {
      // Its writer may not have begun.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pipe.everyMs);
      silentMs += pipe.everyMs;
      continue;
    }
    silentMs = 0;
    bytes += read;
    if (bytes > pipe.bytesMax) throw new Error("it is a pipe of more than 64 MB");
    chunks.push(chunk.subarray(0, read));
  }
  throw new Error("it is a pipe that stays silent");
}

/** How many bytes were read; 0 at the end, undefined where none are there yet. */
function readIfThere(file: number, chunk: Buffer): number | undefined {
  try {
    return readSync(file, chunk);
  } catch (error) {
    if (codeOf(error) === "EAGAIN") return undefined;
    throw error;
  }
}

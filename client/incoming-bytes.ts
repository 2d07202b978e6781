import { setFlagsFromString } from "node:v8";

/**
 * How much of answers and webhook calls may lie in memory at once, in bytes: several of the largest that a run asks for,
 * and no more than any machine has.
 */
export const incomingBytesMax = 64 * 1_048_576;

let heldBytes = 0;

/** Ten times what comes in during a run on a target that conforms. */
const manyBytes = 500_000_000;
let takenBytes = 0;

/**
 * Has memory given back sooner, at the cost of some speed, where so much comes in: what an answer took is otherwise
 * looked for only when four times as much lies there as is in use.
 */
function countTaken(bytes: number): void {
  const isFirst = takenBytes <= manyBytes;
  takenBytes += bytes;
  if (isFirst && takenBytes > manyBytes) setFlagsFromString("--heap-growing-percent=30");
}

/** So many small pieces are put together: each by itself would take a hundred times its size. */
const small = { bytes: 4096, count: 256 };

/** Bytes as they come in, a piece at a time, within a bound of their own and that of everything that comes in. */
export class IncomingBytes {
  readonly #bytesMax: number;
  readonly #parts: Buffer[] = [];
  /** How many of the last parts are small. */
  #smallOnes = 0;
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Adds a piece; answers why it cannot, where it would be too much. */
  add(piece: Buffer): string | undefined {
    if (this.#length + piece.length > this.#bytesMax) return `more than ${this.#bytesMax} bytes`;
    if (heldBytes + piece.length > incomingBytesMax)
      return `more than ${incomingBytesMax} bytes together with what else comes in`;
    heldBytes += piece.length;
    this.#length += piece.length;
    this.#parts.push(piece);
    this.#smallOnes = piece.length < small.bytes ? this.#smallOnes + 1 : 0;
    if (this.#smallOnes >= small.count) {
      this.#parts.push(Buffer.concat(this.#parts.splice(-small.count)));
      this.#smallOnes = 0;
    }
    return undefined;
  }

  /** All that came, as one. It counts no longer: to be called once, also where it is not wanted. */
  take(): Buffer {
    heldBytes -= this.#length;
    countTaken(this.#length);
    const parts = this.#parts.splice(0);
    const [only] = parts;
    const isOne = parts.length === 1 && only !== undefined;
    const all = isOne ? only : Buffer.concat(parts, this.#length);
    this.#length = 0;
    return all;
  }
}

/**
 * How much of answers and webhook calls may lie in memory at once, in bytes: several of the largest that a run asks for,
 * and no more than any machine has.
 */
export const incomingBytesMax = 150 * 1_048_576;

let heldBytes = 0;

/** Smaller pieces are put together: each by itself would take a hundred times its size. */
const pieceBytesMin = 4096;
const blockBytes = 65_536;

/** Bytes as they come in, a piece at a time, within a bound of their own and that of everything that comes in. */
export class IncomingBytes {
  readonly #bytesMax: number;
  readonly #parts: Buffer[] = [];
  #block = Buffer.alloc(0);
  #filled = 0;
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
    if (piece.length >= pieceBytesMin) {
      this.#closeBlock();
      this.#parts.push(piece);
    } else {
      this.#put(piece);
    }
    return undefined;
  }

  /** All that came, as one. It counts no longer: to be called once, also where it is not wanted. */
  take(): Buffer {
    this.#closeBlock();
    heldBytes -= this.#length;
    const [first, ...others] = this.#parts.splice(0);
    const all =
      first !== undefined && others.length === 0
        ? first
        : Buffer.concat(first === undefined ? [] : [first, ...others], this.#length);
    this.#length = 0;
    return all;
  }

  #put(piece: Buffer): void {
    if (this.#filled + piece.length > this.#block.length) {
      this.#closeBlock();
      this.#block = Buffer.allocUnsafe(blockBytes);
    }
    this.#filled += piece.copy(this.#block, this.#filled);
  }

  #closeBlock(): void {
    if (this.#filled > 0) this.#parts.push(this.#block.subarray(0, this.#filled));
    this.#block = this.#block.subarray(this.#filled);
    this.#filled = 0;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const braceOpen = 0x7b;
const bracketOpen = 0x5b;
const braceClose = 0x7d;
const bracketClose = 0x5d;
/** `{"log":{"entries":[{`: an entry's object is the fourth that is open, and the name of their list stands in the second. */
const entryDepth = 4;
const nameDepth = 2;

/**
 * Cuts a HAR file into the texts of its entries while it is read, since it may be larger than any string. It looks at
 * brackets and strings alone; what an entry holds is for its reader.
 */
export async function* harEntries(file: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const scanner = new EntryScanner();
  for await (const chunk of file) yield* scanner.read(chunk);
}

class EntryScanner {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The name that stands last at the depth of the list's. */
  #name = "";
  #isOfEntries = false;
  /** What came of the entry that is open in earlier chunks; undefined where none is open. */
  #pieces: Buffer[] | undefined;

  /** The entries that end in a chunk. */
  *read(chunk: Buffer): Generator<string> {
    let start = 0;
    // By index: an iterator of a gigabyte would take minutes.
    for (let index = 0; index < chunk.length; index += 1) {
      const code = chunk[index] ?? 0;
      if (this.#isInString) index = this.#endOfString(chunk, index);
      else if (code === quote) this.#openString();
      else if (code === braceOpen || code === bracketOpen) {
        if (this.#opens(code)) start = index;
      } else if (code === braceClose || code === bracketClose) {
        const pieces = this.#closes();
        if (pieces === undefined) continue;
        pieces.push(chunk.subarray(start, index + 1));
        yield Buffer.concat(pieces).toString("utf8");
      }
    }
    // Copied, since a stream may use its buffer again.
    this.#pieces?.push(Buffer.from(chunk.subarray(start)));
  }

  /** Where a string that is open ends, or the chunk; strings are nearly all of a file, so that it looks at nothing else. */
  #endOfString(chunk: Buffer, from: number): number {
    let isEscaped = this.#isEscaped;
    let index = from;
    for (; index < chunk.length; index += 1) {
      const code = chunk[index];
      if (isEscaped) isEscaped = false;
      else if (code === backslash) isEscaped = true;
      else if (code === quote) break;
    }
    this.#isEscaped = isEscaped;
    this.#isInString = index === chunk.length;
    if (this.#depth === nameDepth) this.#name += chunk.toString("latin1", from, index);
    return index;
  }

  #openString(): void {
    this.#isInString = true;
    if (this.#depth === nameDepth) this.#name = "";
  }

  /** Whether an entry begins here. */
  #opens(code: number): boolean {
    this.#depth += 1;
    if (this.#depth === entryDepth - 1)
      this.#isOfEntries = code === bracketOpen && this.#name === "entries";
    const isEntry = this.#depth === entryDepth && this.#isOfEntries && code === braceOpen;
    if (isEntry) this.#pieces = [];
    return isEntry;
  }

  /** The pieces of the entry that ends here, but for the last. */
  #closes(): Buffer[] | undefined {
    const pieces = this.#depth === entryDepth ? this.#pieces : undefined;
    if (pieces !== undefined) this.#pieces = undefined;
    this.#depth -= 1;
    return pieces;
  }
}

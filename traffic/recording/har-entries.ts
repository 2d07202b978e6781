const quote = 0x22;
const backslash = 0x5c;
const opening: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const closing: ReadonlySet<number> = new Set([0x7d, 0x5d]);
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
      if (this.#isInString) this.#inString(code);
      else if (code === quote) this.#openString();
      else if (opening.has(code) && this.#opens(code)) start = index;
      else if (closing.has(code)) {
        const pieces = this.#closes();
        if (pieces === undefined) continue;
        pieces.push(chunk.subarray(start, index + 1));
        yield Buffer.concat(pieces).toString("utf8");
      }
    }
    // Copied, since a stream may use its buffer again.
    this.#pieces?.push(Buffer.from(chunk.subarray(start)));
  }

  #inString(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === backslash) this.#isEscaped = true;
    else if (code === quote) this.#isInString = false;
    else if (this.#depth === nameDepth) this.#name += String.fromCodePoint(code);
  }

  #openString(): void {
    this.#isInString = true;
    if (this.#depth === nameDepth) this.#name = "";
  }

  /** Whether an entry begins here. */
  #opens(code: number): boolean {
    this.#depth += 1;
    if (this.#depth === entryDepth - 1)
      this.#isOfEntries = code === 0x5b && this.#name === "entries";
    const isEntry = this.#depth === entryDepth && this.#isOfEntries && code === 0x7b;
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

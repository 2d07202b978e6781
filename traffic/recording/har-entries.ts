const quote = 0x22;
const backslash = 0x5c;
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
/** `{"log":{"entries":[{`: an entry's object is the fourth that is open. */
const entryDepth = 4;

/**
 * Cuts a HAR file into the texts of its entries while it is read, since it may be larger than any string. It looks at
 * brackets and strings alone; what an entry holds is for its reader.
 */
export async function* harEntries(file: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  /** The pieces of the entry that is open, and of a name at depth 2. */
  let pieces: Buffer[] | undefined;
  let name = "";
  let isOfEntries = false;
  for await (const chunk of file) {
    let start = pieces === undefined ? -1 : 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const code = chunk[index];
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (code === backslash) isEscaped = true;
        else if (code === quote) isInString = false;
        else if (depth === 2) name += String.fromCharCode(code ?? 0);
      } else if (code === quote) {
        isInString = true;
        if (depth === 2) name = "";
      } else if (code === openBrace || code === openBracket) {
        depth += 1;
        if (depth === entryDepth - 1) isOfEntries = code === openBracket && name === "entries";
        if (depth === entryDepth && isOfEntries && code === openBrace) {
          pieces = [];
          start = index;
        }
      } else if (code === closeBrace || code === closeBracket) {
        if (depth === entryDepth && pieces !== undefined) {
          pieces.push(chunk.subarray(start, index + 1));
          yield Buffer.concat(pieces).toString("utf8");
          pieces = undefined;
          start = -1;
        }
        depth -= 1;
      }
    }
    // Copied, since a stream may use its buffer again.
    if (pieces !== undefined && start >= 0) pieces.push(Buffer.from(chunk.subarray(start)));
  }
}

import { codeOf, wrongUsageBy } from "./errors.ts";
import { readGivenFile } from "./given-file.ts";

/**
 * Reads a file of text that settings name: `what` it is, and a `hint` for the error.
 * @param ifMissing what a missing file stands for; absent where the file must be there
 * @throws CommandError WRONG_USAGE where it cannot be read
 */
export function readTextFile(path: string, what: string, hint: string, ifMissing?: string): string {
  try {
    return textOfFile(readGivenFile(path));
  } catch (cause) {
    if (ifMissing !== undefined && codeOf(cause) === "ENOENT") return ifMissing;
    throw wrongUsageBy(cause, `${what} ${path} cannot be read`, hint);
  }
}

/** The byte order marks that editors write, with the encoding of what follows. */
const marks: readonly (readonly [bytes: Buffer, encoding: string])[] = [
  [Buffer.from([0xef, 0xbb, 0xbf]), "utf-8"],
  [Buffer.from([0xff, 0xfe]), "utf-16le"],
  [Buffer.from([0xfe, 0xff]), "utf-16be"],
];

/**
 * The text of a file: UTF-8, or what its byte order mark says. The mark is left out.
 * @throws TypeError where it is UTF-16 without a mark
 */
export function textOfFile(bytes: Buffer): string {
  const marked = marks.find(([mark]) => bytes.subarray(0, mark.length).equals(mark));
  if (marked !== undefined) return new TextDecoder(marked[1]).decode(bytes);
  if (bytes.subarray(0, 4).includes(0)) {
    throw new TypeError("it is UTF-16 or binary: save it as UTF-8");
  }
  return bytes.toString("utf8");
}

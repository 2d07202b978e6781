/**
 * The same text by itself: a part that is cut out of a long text keeps all of it in memory, however short the part is,
 * and what a report keeps of an answer is a part.
 */
export function detached(part: string): string {
  return Buffer.from(part, "utf16le").toString("utf16le");
}

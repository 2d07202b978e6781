/**
 * The first characters of a text, by themselves: a part that is cut out of a long text keeps all of it in memory, however
 * short the part is, and what a report keeps of an answer is a part.
 */
export function beginning(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  return Buffer.from(text.slice(0, charactersMax), "utf16le").toString("utf16le");
}

/**
 * Returns the text as one line without control characters, including those that hide text or change its direction: what
 * a target sent must not move the cursor.
 */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ");
}

/** Returns such a line of no more than so many characters, and then the mark that it was cut. */
export function cutLine(text: string, charactersMax: number, mark = "..."): string {
  const line = oneLine(text);
  return line.length <= charactersMax ? line : `${line.slice(0, charactersMax)}${mark}`;
}

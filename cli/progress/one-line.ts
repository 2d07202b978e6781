/**
 * Returns the text as one line without control characters, including those that hide text or change its direction: what
 * a target sent must not move the cursor.
 */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ");
}

/**
 * In one line and without control characters, also those that hide text or turn its direction around: what a target
 * sent must not move the cursor.
 */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ");
}

/** In one line and without control characters: what a target sent must not move the cursor. */
export function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}

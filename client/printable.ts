/** Characters that move a cursor, hide text or turn its direction around; lone surrogates, which no encoding can carry. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Writes a target's text in one line and without characters that would act on a terminal or a page: line breaks become
 * spaces, everything else of that kind its escape, such as `\u001b`.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\t\n\r]+ */gu, " ").replaceAll(unprintable, escapeOf);
}

function escapeOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? String.raw`\u{${code}}` : String.raw`\u${code.padStart(4, "0")}`;
}

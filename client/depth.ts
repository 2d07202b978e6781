/**
 * Whether brackets in a JSON text are nested deeper than `depthMax`. It reads no more than brackets and strings: what
 * else is wrong with the text is the parser's business.
 */
export function nestsDeeper(text: string, depthMax: number): boolean {
  if (text.length <= depthMax) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index);
    else if (code === openBracket || code === openBrace) depth += 1;
    else if (code === closeBracket || code === closeBrace) depth -= 1;
    if (depth > depthMax) return true;
  }
  return false;
}

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Where the string that begins at `start` ends. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) return index;
    if (code === backslash) index += 1;
  }
  return text.length;
}

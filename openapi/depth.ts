/**
 * Whether brackets in a JSON text, or in its bytes, are nested deeper than `depthMax`. It reads only brackets and
 * strings: the parser finds what else is wrong with the text.
 */
export function nestsDeeper(text: string | Buffer, depthMax: number): boolean {
  if (text.length <= depthMax) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = codeAt(text, index);
    if (code === quote) index = endOfString(text, index);
    else if (code === openBracket || code === openBrace) depth += 1;
    else if (code === closeBracket || code === closeBrace) depth -= 1;
    if (depth > depthMax) return true;
  }
  return false;
}

/** Whether a JSON text has more values than `valuesMax`: as many as it has commas outside of strings, and containers. */
export function countsMore(text: string, valuesMax: number): boolean {
  let values = 0;
  for (let index = 0; index < text.length && values <= valuesMax; index += 1) {
    const code = codeAt(text, index);
    if (code === quote) index = endOfString(text, index);
    else if (code === openBracket || code === openBrace || code === comma) values += 1;
  }
  return values > valuesMax;
}

/** A report holds bodies that are 64 deep at most, and nothing else in a file that is read here is deeper. */
const fileDepthMax = 100;

/**
 * Parses a file's JSON.
 * @throws SyntaxError where it is not JSON, or nested so deep that writing it again would break
 */
export function parseFile(text: string): unknown {
  if (!nestsDeeper(text, fileDepthMax)) return JSON.parse(text);
  throw new SyntaxError(`it is nested more than ${fileDepthMax} deep`);
}

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

function codeAt(text: string | Buffer, index: number): number | undefined {
  return typeof text === "string" ? text.charCodeAt(index) : text[index];
}

/** Where the string that begins at `start` ends. A string may be megabytes long: the engine's own search is fast. */
function endOfString(text: string | Buffer, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Whether an odd number of backslashes stands before a position. */
function isEscaped(text: string | Buffer, position: number): boolean {
  let before = position - 1;
  while (codeAt(text, before) === backslash) before -= 1;
  return (position - 1 - before) % 2 === 1;
}

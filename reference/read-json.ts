/**
 * How deep a body may be nested. Reading one knows no bound, but writing it again takes stack for each level and
 * breaks off at some 4,000; the JSON of Python, which workers are written in, breaks off at 1,000.
 */
const JSON_DEPTH_MAX = 500;

export const tooDeep = `the body is nested deeper than ${JSON_DEPTH_MAX} levels`;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const brackets = { "[": 0x5b, "]": 0x5d, "{": 0x7b, "}": 0x7d };

/** Whether JSON is nested deeper than a server keeps it; it is looked at as bytes, before anything is made of it. */
export function isTooDeep(json: Buffer): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = endOfText(json, at);
    else if (byte === brackets["["] || byte === brackets["{"]) depth += 1;
    else if (byte === brackets["]"] || byte === brackets["}"]) depth -= 1;
    if (depth > JSON_DEPTH_MAX) return true;
  }
  return false;
}

/** Where the text that begins here has its last quote; the end of it all where it has none. */
function endOfText(json: Buffer, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); end !== -1; end = json.indexOf(QUOTE, end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}

/**
 * The value of a body.
 * @throws Error that says why it has none: it is no JSON, or too deep
 */
export function readJson(body: Buffer): unknown {
  if (isTooDeep(body)) throw new Error(tooDeep);
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new Error("the body is not JSON");
  }
}

/** Longest body or command in a report; what a failing exchange shows comes well before that. */
const textCharsMax = 65_536;
/** Longest reason or compared value: a line or two, since a target may send megabytes. */
const lineCharsMax = 4096;
/** Deeper JSON is kept as text: with indentation it would take space by the square of its depth. */
const depthMax = 64;

/** Cuts a text to `charsMax` characters and notes how long it was. */
export function cutText(text: string, charsMax: number = textCharsMax): string {
  if (text.length <= charsMax) return text;
  return `${text.slice(0, charsMax)} [cut here: ${text.length} characters in all]`;
}

/** Cuts a reason, a compared value or a step. */
export function boundedLine(text: string): string {
  return cutText(text, lineCharsMax);
}

/**
 * Returns a body as a report can hold it: the JSON value itself, or a text where the value is too large,
 * nested too deeply, or not JSON at all. Targets under test send such bodies on purpose.
 */
export function boundedBody(body: unknown): unknown {
  if (body === undefined) return null;
  if (typeof body === "string") return cutText(body);
  const text = serialise(body);
  if (text === undefined) return "[a body that cannot be written as JSON]";
  return text.length > textCharsMax || depthOf(text) > depthMax ? cutText(text) : body;
}

/**
 * Formats a body for people: indented JSON, or the text as it came; empty where there is none. A text is indented
 * only where that changes nothing but white space: 1.0, a number of twenty digits and a key that comes twice are
 * evidence, and stay as the target wrote them.
 */
export function prettyBody(body: unknown): string {
  const kept = boundedBody(body);
  if (kept === null) return "";
  if (typeof kept !== "string") return JSON.stringify(kept, null, 2);
  if (!/^\s*[[{]/u.test(kept) || depthOf(kept) > depthMax) return kept;
  const value = parsed(kept);
  const compact = kept.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/gu, "$1");
  return JSON.stringify(value) === compact ? JSON.stringify(value, null, 2) : kept;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function serialise(value: unknown): string | undefined {
  try {
    // TypeScript says string, but the result is undefined for a function or a symbol.
    const text: unknown = JSON.stringify(value);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[{\]}]/gu)) {
    if (token === "[" || token === "{") deepest = Math.max(deepest, (depth += 1));
    else if (token === "]" || token === "}") depth -= 1;
  }
  return deepest;
}

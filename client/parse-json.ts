/** What JSON does not have and other notations do, with what it is called; the first one in a text counts. */
const strangers: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/-?\b(?:NaN|Infinity)\b/, (found) => found],
  [/\b(?:undefined|None|True|False)\b/, (found) => found],
  [/,\s*[\]}]/, () => "a comma behind the last item"],
  [/'/, () => "a single quote"],
];

/** The part of a text in which a flaw is looked for. */
const charactersMax = 1_000_000;

const byteOrderMark = "\uFEFF";
export const markFlaw = "it begins with a byte order mark";

/** Whether a text begins with what a reader may pass over and nobody may send (RFC 8259, 8.1). */
export function hasMark(text: string): boolean {
  return text.startsWith(byteOrderMark);
}

function withoutMark(text: string): string {
  return hasMark(text) ? text.slice(byteOrderMark.length) : text;
}

/** Names what keeps a text from being JSON, and where; undefined where it is nothing that has a name. */
export function jsonFlawOf(marked: string): string | undefined {
  const text = withoutMark(marked);
  if (/^\s*<(?:!doctype html|html)/i.test(text)) return "it is an HTML page";
  if (/^\s*<(?:\?xml|[a-z])/i.test(text)) return "it is XML or HTML";
  const bare = withoutStrings(text.slice(0, charactersMax));
  const found = strangers.flatMap(([pattern, nameOf]) => {
    const match = pattern.exec(bare);
    return match === null ? [] : [{ at: match.index, name: nameOf(match[0]) }];
  });
  const [first] = found.toSorted((one, other) => one.at - other.at);
  return first === undefined ? undefined : `${first.name} at ${placeIn(bare, first.at)}`;
}

/** The text with its strings blank, also one that is cut off, so that every other character keeps its place. */
function withoutStrings(text: string): string {
  return text.replaceAll(/"(?:[^"\\\n]|\\.)*"?/g, blank);
}

function blank(string: string): string {
  return `"${" ".repeat(string.length - 1)}`;
}

function placeIn(text: string, at: number): string {
  const lines = text.slice(0, at).split("\n");
  return `line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
}

/** Parses a text as JSON, also one behind a byte order mark; `undefined` where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(withoutMark(text));
  } catch {
    return undefined;
  }
}

/** A JSON object whose members are not known. */
export type JsonMembers = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonMembers {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

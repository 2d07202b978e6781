import type { Range } from "./secret-forms.ts";

/** A text without its escapes, and where its characters stood. */
export interface Unescaped {
  readonly text: string;
  /** Converts a range of this text into the range of the text with escapes that it was. */
  readonly rangeBefore: (range: Range) => Range;
}

const escape =
  /%([0-7][\da-f])|\\u00([0-7][\da-f])|\\x([0-7][\da-f])|\\(["'\\/])|&#(\d{1,3});|&#x0*([\da-f]{2});|&(amp|lt|gt|quot|apos|sol|plus|equals|colon|lowbar);/gi;

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  sol: "/",
  plus: "+",
  equals: "=",
  colon: ":",
  lowbar: "_",
};

/** Takes out the escapes of ASCII characters that URLs, JSON and HTML use, once; `undefined` where there are none. */
export function unescaped(text: string): Unescaped | undefined {
  if (!/[%\\&]/.test(text)) return undefined;
  // Where the text goes on after each escape, and by how much all escapes up to there are longer.
  const shifts: Shift[] = [];
  let longerBy = 0;
  const plain = text.replaceAll(escape, (...found: readonly unknown[]) => {
    const groups = found.map((group) => (typeof group === "string" ? group : undefined));
    const [whole = "", percent, unicode, byte, quoted, decimal, hex, name = ""] = groups;
    const at = Number(found.findLast((each) => typeof each === "number")) - longerBy;
    longerBy += whole.length - 1;
    shifts.push({ after: at + 1, longerBy });
    const code = percent ?? unicode ?? byte ?? hex;
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return quoted ?? named[name.toLowerCase()] ?? "";
  });
  if (shifts.length === 0) return undefined;
  const before = (at: number): number => at + longerUpTo(shifts, at);
  return { text: plain, rangeBefore: ([start, end]) => [before(start), before(end)] };
}

interface Shift {
  readonly after: number;
  readonly longerBy: number;
}

/** By how much all escapes up to a position are longer. A binary search: a hostile text holds thousands. */
function longerUpTo(shifts: readonly Shift[], at: number): number {
  let low = 0;
  let high = shifts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((shifts[middle]?.after ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return shifts[low - 1]?.longerBy ?? 0;
}

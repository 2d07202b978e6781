import { cutText } from "./bounded.ts";

const cellCharsMax = 500;
export const blockCharsMax = 4000;

/**
 * Text from outside as one line of Markdown: nothing in it is markup, but for pairs of backticks,
 * which mark code as the catalogue's sentences do. Safe in a table's cell.
 */
export function prose(text: string): string {
  return cutText(oneLine(text), cellCharsMax)
    .split(/`([^`]+)`/u)
    .map((part, index) => (index % 2 === 1 ? code(part) : escaped(part)))
    .join("");
}

/** A code span on one line. Backticks, which would end it, become apostrophes. */
export function code(text: string): string {
  const line = cutText(oneLine(text), cellCharsMax).replaceAll("`", "'").trim();
  // A backslash before a pipe is all a table's cell needs; the parser takes it away again.
  return line === "" ? "" : `\`${line.replaceAll("|", "\\|")}\``;
}

/** A fenced block whose fence is longer than any in the text. */
export function fenced(language: string, text: string): string {
  const kept = cutText(printable(text), blockCharsMax);
  const longest = Math.max(2, ...[...kept.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${kept}\n${fence}`;
}

function escaped(text: string): string {
  return (
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll(/[\\`*[\]|~$]/gu, String.raw`\$&`)
      // An underscore inside a word, as in IN_QUEUE, is no markup.
      .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)
      // What would open a list or a heading at the start of an item.
      .replace(/^(?=[-+#=])/u, "\\")
      .replace(/^(\d+)(?=[.)](?:\s|$))/u, "$1\\")
  );
}

function oneLine(text: string): string {
  return printable(text).replaceAll(/\s+/gu, " ").trim();
}

/** Without control characters but tab and newline, and without lone surrogates. */
function printable(text: string): string {
  return text.replaceAll(/\p{Surrogate}|(?![\t\n])\p{Control}/gu, "");
}

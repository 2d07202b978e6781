import { markdownTable } from "markdown-table";
import { cutText } from "./bounded.ts";

const cellCharsMax = 500;
export const blockCharsMax = 4000;

/**
 * Turns text from outside into one line of Markdown. Nothing in it is markup except pairs of backticks, which mark
 * code, as in the catalogue's sentences. The result is safe in a table cell.
 */
export function prose(text: string): string {
  return cutText(oneLine(text), cellCharsMax)
    .split(/`([^`]+)`/u)
    .map((part, index) => (index % 2 === 1 ? code(part) : escaped(part)))
    .join("");
}

/** Makes a code span on one line. Backticks would end it, so they become apostrophes. */
export function code(text: string): string {
  const line = cutText(oneLine(text), cellCharsMax).replaceAll("`", "'").trim();
  if (line === "") return "";
  // In a table cell a pipe needs a backslash, which the parser removes again; after another backslash it would not: then it is text.
  if (line.includes("\\|")) return asEntities(line);
  return `\`${line.replaceAll("|", "\\|")}\``;
}

/** Makes a fenced block whose fence is longer than any in the text. */
export function fenced(language: string, text: string): string {
  const kept = cutText(printable(text), blockCharsMax);
  const longest = Math.max(2, ...[...kept.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${kept}\n${fence}`;
}

/** Makes a section of parts that are Markdown already; empty where it has no entries to tell of. */
export function sectionText(
  title: string,
  entries: readonly unknown[],
  ...parts: readonly string[]
): string {
  return entries.length === 0 ? "" : [`## ${title}`, ...parts].join("\n\n");
}

/** Makes a table of cells that are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return markdownTable([head, ...rows], { alignDelimiters: false });
}

/** Every character but letters, digits and spaces as an entity. */
function asEntities(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} ]/gu, (character) => `&#${character.codePointAt(0) ?? 0};`);
}

function escaped(text: string): string {
  return (
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll(/[\\`*[\]|~$]/gu, String.raw`\$&`)
      // What GitHub would make a link of: an address, also without a scheme, or of mail.
      .replaceAll(/:(?=\/\/)|(?<=\bwww)\.|@/giu, asEntities)
      // An underscore inside a word, as in IN_QUEUE, is not markup.
      .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)
      // Escapes what would start a list or a heading at the start of an item.
      .replace(/^(?=[-+#=])/u, "\\")
      .replace(/^(\d+)(?=[.)](?:\s|$))/u, "$1\\")
  );
}

function oneLine(text: string): string {
  return printable(text).replaceAll(/\s+/gu, " ").trim();
}

/** Removes control characters except tab and newline, and lone surrogates. */
function printable(text: string): string {
  return text.replaceAll(/\p{Surrogate}|(?![\t\n])\p{Control}/gu, "");
}

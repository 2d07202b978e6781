import { markdownTable } from "markdown-table";

/** Makes a table without padding, so that one long cell does not change every line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) =>
    row.map((cell) => cell.replaceAll("|", String.raw`\|`)),
  );
  return markdownTable(cells, { alignDelimiters: false });
}

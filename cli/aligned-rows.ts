import { coloursFor } from "./colours.ts";
import type { Io } from "./io.ts";

/** Rows as a table for a terminal, the first of them as its head. */
export function alignedRows(rows: readonly (readonly string[])[], io: Io): string {
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const [head = "", ...lines] = rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [coloursFor(io).bold(head), ...lines].join("\n");
}

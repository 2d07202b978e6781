import { createColors } from "picocolors";
import type { Io } from "./io.ts";

/** Returns what colours text for the output: nothing unless it is a terminal, and NO_COLOR (no-color.org) allows it. */
export function coloursFor({ terminal, environment }: Io): ReturnType<typeof createColors> {
  const { NO_COLOR: refused = "", TERM: kind } = environment;
  return createColors(terminal && refused === "" && kind !== "dumb");
}

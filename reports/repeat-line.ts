import path from "node:path";
import { shellWord } from "../client/shell-word.ts";
import type { RepeatLineOf } from "./model.ts";

/** The command that runs a requirement of a report.json again, by the file's path as somebody there would type it. */
export function repeatLine(file: string, id: string): string {
  // What begins with a hyphen would be taken for an option.
  return `npx queueproof replay ${shellWord(file.startsWith("-") ? `./${file}` : file)} ${id}`;
}

/** For a report of which there is no report.json. */
export const noRepeatLine: RepeatLineOf = () => undefined;

/** The commands for a report that is written to a directory, where report.json is among its formats. */
export function repeatLinesFor(
  { directory, formats }: { readonly directory: string; readonly formats: readonly string[] },
  workingDirectory: string,
): RepeatLineOf {
  if (!formats.includes("json")) return noRepeatLine;
  const file = typedPath(path.join(directory, "report.json"), workingDirectory);
  return (id) => repeatLine(file, id);
}

/** Relative where it lies below the working directory, as it would be typed there. */
function typedPath(file: string, workingDirectory: string): string {
  const absolute = path.resolve(workingDirectory, file);
  const relative = path.relative(workingDirectory, absolute);
  return relative.startsWith("..") || path.isAbsolute(relative) ? absolute : relative;
}

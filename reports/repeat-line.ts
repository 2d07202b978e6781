import path from "node:path";
import { shellWord } from "../client/shell-word.ts";
import type { RepeatLineOf } from "./model.ts";

/** Returns the command that runs a requirement of a report.json again. `file` is the path as a user would type it. */
export function repeatLine(file: string, id: string): string {
  // A path that begins with a hyphen would be taken for an option.
  return `npx queueproof replay ${shellWord(file.startsWith("-") ? `./${file}` : file)} ${id}`;
}

/** For a report without a report.json. */
export const noRepeatLine: RepeatLineOf = () => undefined;

/** Returns the commands for a report in `directory`; they exist only if report.json is among its formats. */
export function repeatLinesFor(
  { directory, formats }: { readonly directory: string; readonly formats: readonly string[] },
  workingDirectory: string,
): RepeatLineOf {
  if (!formats.includes("json")) return noRepeatLine;
  const file = typedPath(path.join(directory, "report.json"), workingDirectory);
  return (id) => repeatLine(file, id);
}

/** Returns the path as a user would type it: relative where it lies below the working directory, else absolute. */
function typedPath(file: string, workingDirectory: string): string {
  const absolute = path.resolve(workingDirectory, file);
  const relative = path.relative(workingDirectory, absolute);
  return relative.startsWith("..") || path.isAbsolute(relative) ? absolute : relative;
}

import path from "node:path";
import { shellWord } from "../client/shell-word.ts";
import type { RepeatLineOf } from "./model.ts";

/** What the command has to say besides the report, as words of a shell. */
export interface RepeatWords {
  /** Variables that stand before it, such as `QUEUEPROOF_API_KEY=KEY` for a key that was typed. */
  readonly variables: readonly string[];
  readonly options: readonly string[];
}

/** Returns the command that runs a requirement of a report.json again. `file` is the path as a user would type it. */
export function repeatLine(
  file: string,
  id: string,
  { variables, options }: RepeatWords = { variables: [], options: [] },
): string {
  // A path that begins with a hyphen would be taken for an option.
  const typed = shellWord(file.startsWith("-") ? `./${file}` : file);
  return [...variables, "npx queueproof replay", typed, id, ...options].join(" ");
}

/** For a report without a report.json. */
export const noRepeatLine: RepeatLineOf = () => undefined;

/** Returns the commands for a report in `directory`; they exist only if report.json is among its formats. */
export function repeatLinesFor(
  { directory, formats }: { readonly directory: string; readonly formats: readonly string[] },
  workingDirectory: string,
  words?: RepeatWords,
): RepeatLineOf {
  if (!formats.includes("json")) return noRepeatLine;
  const file = typedPath(path.join(directory, "report.json"), workingDirectory);
  return (id) => repeatLine(file, id, words);
}

/** Returns the path as a user would type it: relative where it lies below the working directory, else absolute. */
function typedPath(file: string, workingDirectory: string): string {
  const absolute = path.resolve(workingDirectory, file);
  const relative = path.relative(workingDirectory, absolute);
  return relative.startsWith("..") || path.isAbsolute(relative) ? absolute : relative;
}

import { execFileSync } from "node:child_process";

/** Lines of a file that follow each other, counted from 1. */
export interface LineRange {
  readonly file: string;
  readonly first: number;
  readonly last: number;
}

/** The lines that a unified diff without context (`git diff -U0`) adds or changes, in its order. */
export function changedLines(diff: string): readonly LineRange[] {
  const ranges: LineRange[] = [];
  let file = "";
  for (const line of diff.split("\n")) {
    const [, named] = /^\+\+\+ b\/(.*)$/.exec(line) ?? [];
    if (named !== undefined) file = named;
    const [, from, count = "1"] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    // A hunk of no lines only removes some.
    if (from === undefined || Number(count) === 0) continue;
    ranges.push({ file, first: Number(from), last: Number(from) + Number(count) - 1 });
  }
  return ranges;
}

/** The first `linesMax` of the lines. */
export function firstLines(ranges: readonly LineRange[], linesMax: number): readonly LineRange[] {
  const taken: LineRange[] = [];
  let left = linesMax;
  for (const { file, first, last } of ranges) {
    if (left === 0) break;
    const upTo = Math.min(last, first + left - 1);
    taken.push({ file, first, last: upTo });
    left -= upTo - first + 1;
  }
  return taken;
}

/** How many lines there are in all. */
export function lineCount(ranges: readonly LineRange[]): number {
  return ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

/** The lines of files that have changed since the last commit of `page`, by git. */
export function changedSince(page: string, files: readonly string[]): readonly LineRange[] {
  const written = git("log", "-1", "--format=%H", "--", page).trim();
  return written === "" ? [] : changedLines(git("diff", "-U0", written, "--", ...files));
}

function git(...words: readonly string[]): string {
  return execFileSync("git", words, { encoding: "utf8", maxBuffer: 2 ** 28 });
}

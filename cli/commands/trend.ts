import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { writeTrend } from "../../reports/html/trend-page.ts";
import { subjectOf, trendEntryOf } from "../../reports/trend/trend-entry.ts";
import type { TrendEntry } from "../../reports/trend/trend-entry.ts";
import { trendOf } from "../../reports/trend/trend.ts";
import { countText } from "../../reports/words.ts";
import { CommandError, wrongUsageBy } from "../errors.ts";
import type { Io } from "../io.ts";
import { jsonFilesIn } from "../json-files.ts";
import { oneLine } from "../progress/one-line.ts";
import type { TrendSettings } from "../settings/report.ts";

/**
 * Writes one page over the reports in a folder and the folders below it, and returns the exit code.
 * @throws CommandError WRONG_USAGE where there are no two reports, or those of several targets
 */
export async function trend({ directory, outDirectory }: TrendSettings, io: Io): Promise<number> {
  const { entries, others } = await entriesIn(directory, outDirectory);
  if (entries.length < 2) {
    throw new CommandError("WRONG_USAGE", `${directory} holds no two reports`, {
      problems: [
        `${countText(entries.length, "report.json")} and ${countText(others, "other file")} of JSON`,
      ],
      hint: "Give a folder that the reports of several runs are kept in, each in a folder of its own.",
    });
  }
  const subject = oneSubjectOf(entries);
  const result = trendOf(entries);
  const path = join(outDirectory, "trend.html");
  try {
    await mkdir(outDirectory, { recursive: true });
    await writeFile(path, writeTrend(result, subject));
  } catch (cause) {
    throw wrongUsageBy(cause, "the trend cannot be written", "Give --report a folder.");
  }
  for (const { strip, since } of result.broken) {
    io.write(oneLine(`${strip.name} is broken since ${since.startedAt} (${since.file})`) + "\n");
  }
  const left = others === 0 ? "" : `, ${countText(others, "file")} of JSON are no reports`;
  io.write(`${countText(entries.length, "report")} of ${oneLine(subject)}${left}: ${path}\n`);
  return 0;
}

async function entriesIn(
  directory: string,
  outDirectory: string,
): Promise<{ readonly entries: readonly TrendEntry[]; readonly others: number }> {
  const entries: TrendEntry[] = [];
  let others = 0;
  for await (const path of jsonFilesIn(directory)) {
    const entry = trendEntryOf(await readFile(path, "utf8"), relative(outDirectory, path));
    if (entry === undefined) others += 1;
    else entries.push(entry);
  }
  return { entries, others };
}

/** Reports of several targets tell of no trend. */
function oneSubjectOf(entries: readonly TrendEntry[]): string {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const subject = subjectOf(entry);
    counts.set(subject, (counts.get(subject) ?? 0) + 1);
  }
  const [[subject] = [""], ...others] = counts;
  if (others.length === 0) return subject;
  throw new CommandError("WRONG_USAGE", `these are reports of ${counts.size} targets`, {
    problems: Array.from(counts, ([name, count]) => `${countText(count, "report")} of ${name}`),
    hint: "Keep the reports of each target in a folder of its own.",
  });
}

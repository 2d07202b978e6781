import { resolve } from "node:path";

import { repeatLine } from "../../reports/repeat-line.ts";
import { writeReports } from "../../reports/write.ts";
import type { Report, RepeatLineOf } from "../../reports/model.ts";
import type { Io } from "../io.ts";
import { summaryText } from "../progress/summary.ts";
import { readReport } from "../report-file.ts";
import { mergePlaced } from "../merge-distributed.ts";
import type { ReportSettings } from "../settings/report.ts";

/**
 * Writes report.json files in other formats; two or more are merged into one report. Runners of one load test are
 * merged from their points, and the merged load then decides the exit code.
 * @throws CommandError WRONG_USAGE for a file that cannot be read or is no report, ReportWriteError
 */
export async function report(settings: ReportSettings, io: Io): Promise<number> {
  const { directory, formats } = settings;
  const read = await Promise.all(
    settings.files.map(async (file) => ({
      file,
      report: await readReport(file, io),
      path: resolve(io.workingDirectory, file),
    })),
  );
  const { report: merged, exitCode } = await mergePlaced(read);
  const repeatLineOf = repeatLinesOf(merged, read);
  const paths = await writeReports(merged, { directory, formats, repeatLineOf });
  io.write(summaryText({ report: merged, paths, remarks: [], repeatLineOf }, io));
  return exitCode;
}

interface ReadFile {
  readonly file: string;
  readonly report: Report;
}

/** Repeats each requirement from the first file that gives it the same verdict as the merged report. */
function repeatLinesOf(merged: Report, read: readonly ReadFile[]): RepeatLineOf {
  return (id) => {
    const source = read.find(({ report: each }) => verdictIn(each, id) === verdictIn(merged, id));
    return source === undefined ? undefined : repeatLine(source.file, id);
  };
}

function verdictIn({ requirements }: Report, id: string): string | undefined {
  return requirements.find((entry) => entry.id === id)?.verdict;
}

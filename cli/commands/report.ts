import { resolve } from "node:path";

import { writeReports } from "../../reports/index.ts";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { summaryText } from "../progress/summary.ts";
import { readReport } from "../report-file.ts";
import { mergePlaced } from "../merge-distributed.ts";
import type { ReportSettings } from "../settings/report.ts";

/**
 * Writes report.json files in the other formats; two or more become one report. Runners of one load
 * test are put together from their points, and what they share decides the exit code.
 * @throws CommandError WRONG_USAGE for a file that cannot be read or is no report, ReportWriteError
 */
export async function report(settings: ReportSettings, io: Io): Promise<number> {
  const { directory, formats } = settings;
  const read = await Promise.all(
    settings.files.map(async (file) => ({
      report: await readReport(file, io),
      path: resolve(io.workingDirectory, file),
    })),
  );
  const [first, ...others] = read;
  if (first === undefined) {
    throw new CommandError("WRONG_USAGE", "No report was named", {
      hint: "Give one report.json or more.",
    });
  }
  const { report: merged, exitCode } = await mergePlaced([first, ...others]);
  const paths = await writeReports(merged, { directory, formats });
  io.write(summaryText({ report: merged, paths, remarks: [], targetOptions: "" }, io));
  return exitCode;
}

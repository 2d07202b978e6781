import { resolve } from "node:path";
import { mapTexts } from "../client/map-texts.ts";
import { printable } from "../client/printable.ts";
import { digestState } from "../reports/integrity.ts";
import type { Report } from "../reports/model.ts";
import { CommandError, wrongUsageBy } from "./errors.ts";
import { readGivenFile } from "./given-file.ts";
import type { Io } from "./io.ts";
import { textOfFile } from "./text-file.ts";

/**
 * Reads the text of a file that should be a report.json.
 * @throws CommandError WRONG_USAGE where it cannot be read
 */
export async function readReportText(file: string, io: Io): Promise<string> {
  try {
    return textOfFile(readGivenFile(resolve(io.workingDirectory, file)));
  } catch (cause) {
    const hint = "Give the path of a report.json.";
    throw wrongUsageBy(cause, `the report ${file} cannot be read`, hint);
  }
}

/** The members of a report with texts of several lines, which each format shows in a block, and with inputs of jobs. */
const asItCame: ReadonlySet<string> = new Set(["body", "script", "curl", "jobs"]);

/**
 * Reads the report in a file. Whoever wrote it may have put anything into its texts: none of them acts on a terminal. It
 * prints a warning where the report was changed after it was written.
 * @throws CommandError WRONG_USAGE where it cannot be read or is no report
 */
export async function readReport(file: string, io: Io): Promise<Report> {
  const text = await readReportText(file, io);
  // Imported only here: the parser takes longer to load than a run that only writes a report takes to begin.
  const { parseReport, ReportParseError } = await import("../reports/parse-report.ts");
  try {
    const report = parseReport(text, file);
    if (digestState(report) === "broken") {
      io.writeError(
        `warning: ${file} was changed after it was written; \`queueproof verify\` tells more\n`,
      );
    }
    return mapTexts(report, printable, asItCame);
  } catch (cause) {
    if (!(cause instanceof ReportParseError)) throw cause;
    throw new CommandError("WRONG_USAGE", `${file} is not a report:`, {
      problems: cause.problems,
      hint: cause.hint,
      cause,
    });
  }
}

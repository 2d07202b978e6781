import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { mergeReports, parseReport, ReportParseError, writeReports } from "../../reports/index.ts";
import type { Report, ReportFormat } from "../../reports/index.ts";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { summaryText } from "../progress/summary.ts";

export interface ReportSettings {
  /** The report.json files, as they were typed. */
  readonly files: readonly string[];
  readonly directory: string;
  readonly formats: readonly ReportFormat[];
}

/**
 * Writes report.json files in the other formats; two or more become one report.
 * @throws CommandError WRONG_USAGE for a file that cannot be read or is no report, ReportWriteError
 */
export async function report(settings: ReportSettings, io: Io): Promise<number> {
  const { directory, formats } = settings;
  const read = await Promise.all(settings.files.map((file) => readReport(file, io)));
  const [first, ...others] = read;
  if (first === undefined) {
    throw new CommandError("WRONG_USAGE", "No report was named", {
      hint: "Give one report.json or more.",
    });
  }
  const merged = others.length === 0 ? first : mergeReports(first, ...others);
  const paths = await writeReports(merged, { directory, formats });
  io.write(summaryText({ report: merged, paths, remarks: [], targetOptions: "" }, io));
  return 0;
}

async function readReport(file: string, io: Io): Promise<Report> {
  const path = resolve(io.workingDirectory, file);
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new CommandError("WRONG_USAGE", `The report ${file} cannot be read`, {
      problems: [cause instanceof Error ? cause.message : String(cause)],
      hint: "Give the path of a report.json.",
      cause,
    });
  });
  try {
    return parseReport(text, file);
  } catch (cause) {
    if (!(cause instanceof ReportParseError)) throw cause;
    throw new CommandError("WRONG_USAGE", `${file} is not a report:`, {
      problems: cause.problems,
      hint: cause.hint,
      cause,
    });
  }
}

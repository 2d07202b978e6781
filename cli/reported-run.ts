import { ensureReportDirectory, loadWriters, writeReports } from "../reports/write.ts";
import { repeatLinesFor } from "../reports/repeat-line.ts";
import type { RepeatWords } from "../reports/repeat-line.ts";
import type { ReportFormat } from "../reports/report-formats.ts";
import { withoutBodies } from "../reports/without-bodies.ts";
import type { RepeatLineOf, Report } from "../reports/model.ts";
import {
  ensureBaselineWritable,
  readBaseline,
  updatedBaseline,
  withKnownFailures,
  writeBaseline,
} from "./baseline.ts";
import type { Baseline } from "./baseline.ts";
import { interruptedExitCode, listenForInterruption } from "./interruption.ts";
import type { Io } from "./io.ts";
import { outcomeOf } from "./exit-code.ts";
import { lockReportFolder } from "./report-lock.ts";
import { summaryText } from "./progress/summary.ts";

const stopping =
  "\nStopping; the report of what was decided follows. Ctrl-C once more leaves at once.\n";

/** Where the report of a run goes, and what is demanded of it. */
export interface ReportDemands {
  readonly reportDirectory: string;
  readonly formats: readonly ReportFormat[];
  /** What a line that repeats a failure says besides the report. */
  readonly repeatWords?: RepeatWords | undefined;
  /** The line that repeats a requirement; default `replay` of report.json. */
  readonly repeatLineOf?: RepeatLineOf | undefined;
  readonly baselineFile: string | undefined;
  readonly baselineUpdate: boolean;
  /** Requirements that must be decided. */
  readonly require: readonly string[];
  /** Profiles that must be decided. */
  readonly profiles: readonly string[];
  /** Whether reports hold no inputs and outputs of jobs. */
  readonly noBodies: boolean;
}

/** What a run came to. */
export interface RunEnd {
  readonly report: Report;
  /** The error that kept the run from deciding anything. */
  readonly error?: unknown;
  /** The checks in which the harness itself broke; the run's results cannot be trusted as a whole. */
  readonly broken?: readonly string[];
}

/** A run that reached its end or was stopped. */
export interface FinishedRun {
  readonly report: Report;
  readonly exitCode: number;
}

/**
 * Runs, writes the report, says what came out, and returns the exit code. A signal ends the run early: its report holds
 * what was decided before.
 * @throws CommandError and the errors of other modules, each with its code and hint.
 */
export async function reportedRun(
  demands: ReportDemands,
  io: Io,
  run: (signal: AbortSignal) => Promise<RunEnd>,
): Promise<FinishedRun> {
  await ensureReportDirectory(demands.reportDirectory);
  const baseline = await baselineOf(demands);
  const lock = lockReportFolder(demands.reportDirectory);
  const interruption = listenForInterruption(() => io.writeError(stopping));
  try {
    const running = run(interruption.signal);
    // A failure shows when the report is written.
    loadWriters().catch(() => undefined);
    const ended = await running;
    const isStopped = ended.report.interrupted === true;
    const report = demands.noBodies ? withoutBodies(ended.report) : ended.report;
    const exitCode = await conclude({ ...ended, report }, { demands, baseline, io });
    // Not an interruption: a signal after everything was decided, or a target that stopped answering.
    const isInterrupted = isStopped && interruption.signal.aborted;
    return { report, exitCode: isInterrupted ? interruptedExitCode : exitCode };
  } finally {
    interruption.stop();
    lock.release();
  }
}

async function baselineOf({ baselineFile, baselineUpdate }: ReportDemands): Promise<Baseline> {
  if (baselineFile === undefined) return new Map();
  const baseline = readBaseline(baselineFile, baselineUpdate);
  if (baselineUpdate) await ensureBaselineWritable(baselineFile);
  return baseline;
}

interface Conclusion {
  readonly demands: ReportDemands;
  readonly baseline: Baseline;
  readonly io: Io;
}

/** Writes the report and says what came out. An error that ended the run is thrown after the report is written. */
async function conclude(
  { report: judged, error, broken = [] }: RunEnd,
  { demands, baseline: given, io }: Conclusion,
): Promise<number> {
  const report = withKnownFailures(judged, given);
  const directory = demands.reportDirectory;
  const repeatLineOf =
    demands.repeatLineOf ??
    repeatLinesFor(
      { directory, formats: demands.formats },
      io.workingDirectory,
      demands.repeatWords,
    );
  const formats = jsonFirstIfInterrupted(report, demands);
  const paths = await writeReports(report, { directory, formats, repeatLineOf });
  if (error !== undefined) {
    io.write(`The report of this run says why nothing was decided: ${paths[0] ?? directory}\n`);
    throw error;
  }

  const baseline = demands.baselineUpdate ? updatedBaseline(given, report) : given;
  if (demands.baselineUpdate && demands.baselineFile !== undefined) {
    await writeBaseline(demands.baselineFile, baseline);
  }
  const { require: required, profiles } = demands;
  const { exitCode, remarks } = outcomeOf(report, { baseline, required, profiles, broken });
  io.write(summaryText({ report, paths, remarks, repeatLineOf }, io));
  return exitCode;
}

/** Puts JSON first for a stopped run, since the user may not wait and every other format can be made from it. */
function jsonFirstIfInterrupted(
  { interrupted }: Report,
  { formats }: ReportDemands,
): typeof formats {
  if (interrupted !== true) return formats;
  return formats.toSorted((one, other) => Number(other === "json") - Number(one === "json"));
}

import { ensureReportDirectory, loadWriters, writeReports } from "../../reports/write.ts";
import { repeatLinesFor } from "../../reports/repeat-line.ts";
import { withoutBodies } from "../../reports/without-bodies.ts";
import type { Report } from "../../reports/model.ts";
import {
  ensureBaselineWritable,
  readBaseline,
  updatedBaseline,
  withKnownFailures,
  writeBaseline,
} from "../baseline.ts";
import type { Baseline } from "../baseline.ts";
import { demandConfigConsent } from "../config-consent.ts";
import { runToReport } from "../contract-run.ts";
import type { RunEnd } from "../contract-run.ts";
import { interruptedExitCode, listenForInterruption } from "../interruption.ts";
import type { Io } from "../io.ts";
import { outcomeOf } from "../exit-code.ts";
import { lockReportFolder } from "../report-lock.ts";
import { summaryText } from "../progress/summary.ts";
import { configText } from "../settings/config-use.ts";
import { mergeRerun } from "../merge-rerun.ts";
import type { ContractCommandSettings, RunCommand } from "../settings/contract.ts";

const stopping =
  "\nStopping; the report of what was decided follows. Ctrl-C once more leaves at once.\n";

/**
 * Checks the target or the embedded reference by contract, by load or by both. Writes the report and returns the exit
 * code. The report also holds what was decided before an interruption.
 * @throws CommandError and the errors of other modules, each with its code and hint.
 */
export async function contract(
  settings: ContractCommandSettings,
  io: Io,
  command: RunCommand = "contract",
): Promise<number> {
  return (await runOnce(settings, { io, command })).exitCode;
}

export interface OneRun {
  readonly io: Io;
  readonly command: RunCommand;
  /** An earlier report, which the results of this run are merged into. */
  readonly into?: Report | undefined;
}

/** A run that reached its end or was stopped. */
export interface FinishedRun {
  readonly report: Report;
  readonly exitCode: number;
}

/**
 * Runs once, as `contract` does, and also returns the report.
 * @throws CommandError and the errors of other modules, each with its code and hint.
 */
export async function runOnce(
  settings: ContractCommandSettings,
  { io, command, into }: OneRun,
): Promise<FinishedRun> {
  const { configUse } = settings;
  if (configUse !== undefined) io.write(configText(configUse));
  await demandConfigConsent(configUse, io);
  if (command !== "contract") {
    const { demandConsent } = await import("../load-consent.ts");
    await demandConsent(settings, io);
  }
  await ensureReportDirectory(settings.reportDirectory);
  const baseline = await baselineOf(settings);
  const lock = lockReportFolder(settings.reportDirectory);
  const interruption = listenForInterruption(() => io.writeError(stopping));
  try {
    const running = runToReport(settings, { command, io, signal: interruption.signal });
    // A failure shows when the report is written.
    loadWriters().catch(() => undefined);
    const run = await running;
    const merged = into === undefined ? run.report : mergeRerun(into, run.report, settings.only);
    const end = { ...run, report: settings.noBodies ? withoutBodies(merged) : merged };
    const exitCode = await conclude(end, { settings, baseline, io });
    // Not an interruption: a signal after everything was decided, or a target that stopped answering.
    const isInterrupted = run.report.interrupted === true && interruption.signal.aborted;
    return { report: end.report, exitCode: isInterrupted ? interruptedExitCode : exitCode };
  } finally {
    interruption.stop();
    lock.release();
  }
}

async function baselineOf({
  baselineFile,
  baselineUpdate,
}: ContractCommandSettings): Promise<Baseline> {
  if (baselineFile === undefined) return new Map();
  const baseline = readBaseline(baselineFile, baselineUpdate);
  if (baselineUpdate) await ensureBaselineWritable(baselineFile);
  return baseline;
}

interface Conclusion {
  readonly settings: ContractCommandSettings;
  readonly baseline: Baseline;
  readonly io: Io;
}

/** Writes the report and says what came out. An error that ended the run is thrown after the report is written. */
async function conclude(
  { report: judged, error, broken = [] }: RunEnd,
  rest: Conclusion,
): Promise<number> {
  const { settings, io } = rest;
  const report = withKnownFailures(judged, rest.baseline);
  const directory = settings.reportDirectory;
  const repeatLineOf = repeatLinesFor(
    { directory, formats: settings.formats },
    io.workingDirectory,
    settings.repeatWords,
  );
  const formats = jsonFirstIfInterrupted(report, settings);
  const paths = await writeReports(report, { directory, formats, repeatLineOf });
  if (error !== undefined) {
    io.write(`The report of this run says why nothing was decided: ${paths[0] ?? directory}\n`);
    throw error;
  }

  const baseline = settings.baselineUpdate ? updatedBaseline(rest.baseline, report) : rest.baseline;
  if (settings.baselineUpdate && settings.baselineFile !== undefined) {
    await writeBaseline(settings.baselineFile, baseline);
  }
  const demands = {
    baseline,
    required: settings.require,
    profiles: settings.profiles,
    broken,
  };
  const { exitCode, remarks } = outcomeOf(report, demands);
  io.write(summaryText({ report, paths, remarks, repeatLineOf }, io));
  return exitCode;
}

/** Puts JSON first for a stopped run, since the user may not wait and every other format can be made from it. */
function jsonFirstIfInterrupted(
  { interrupted }: Report,
  { formats }: ContractCommandSettings,
): typeof formats {
  if (interrupted !== true) return formats;
  return formats.toSorted((one, other) => Number(other === "json") - Number(one === "json"));
}

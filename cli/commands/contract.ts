import type { Report } from "../../reports/model.ts";
import { demandConfigConsent } from "../config-consent.ts";
import { runToReport } from "../contract-run.ts";
import type { Io } from "../io.ts";
import { configText } from "../settings/config-use.ts";
import { mergeRerun } from "../merge-rerun.ts";
import { reportedRun } from "../reported-run.ts";
import type { FinishedRun } from "../reported-run.ts";
import type { ContractCommandSettings, RunCommand } from "../settings/contract.ts";

export interface OneRun {
  readonly io: Io;
  readonly command: RunCommand;
  /** An earlier report, which the results of this run are merged into. */
  readonly into?: Report | undefined;
}

/**
 * Checks the target or the embedded reference by contract, by load or by both. Writes the report, which also holds what
 * was decided before an interruption, and returns it with the exit code.
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
  return reportedRun(settings, io, async (signal) => {
    const end = await runToReport(settings, { command, io, signal });
    if (into === undefined) return end;
    const report = mergeRerun(into, end.report, settings.only);
    // Whether this run was stopped, not the earlier one.
    const { interrupted } = end.report;
    return { ...end, report: interrupted === true ? { ...report, interrupted } : report };
  });
}

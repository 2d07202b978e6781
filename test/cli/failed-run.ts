import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseReport } from "../../reports/parse-report.ts";
import type { Report, ReportCheck } from "../../reports/model.ts";
import { temporaryDirectory } from "./temporary-directory.ts";
import { runCommandLine } from "../../cli/program.ts";
import type { CommandEnd } from "./command.ts";
import { fakeIo } from "./fake-io.ts";

/** A run in which something failed, with its output and files. */
export interface FailedRun {
  readonly directory: string;
  readonly output: string;
  readonly report: Report;
  /** Reads a file beside report.json. */
  readonly read: (name: string) => string;
}

/** Runs a command with these words in its own directory; throws where nothing fails. */
export async function failedRun(
  words: readonly string[],
  command: "contract" | "load" = "contract",
): Promise<FailedRun> {
  const directory = temporaryDirectory();
  const { exitCode, output, errors } = await runHere([command, ...words], directory);
  if (exitCode !== 1) throw new Error(`nothing failed (${String(exitCode)}): ${output}${errors}`);
  const read = (name: string): string =>
    readFileSync(join(directory, "reports/latest", name), "utf8");
  return { directory, output, report: parseReport(read("report.json"), "report.json"), read };
}

/** A check that failed, with the requirement it failed. */
export interface FailedCheck {
  readonly id: string;
  readonly check: ReportCheck;
}

/** Every check that failed. */
export function failedChecks({ requirements }: Report): readonly FailedCheck[] {
  return requirements.flatMap(({ id, checks }) =>
    checks.filter(({ verdict }) => verdict === "fail").map((check) => ({ id, check })),
  );
}

/** Runs a command line in this process, with these variables alone, without terminal and signals. */
export async function runHere(
  words: readonly string[],
  workingDirectory: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandEnd> {
  const io = fakeIo({ workingDirectory, environment });
  const exitCode = await runCommandLine(words, io);
  return { exitCode, output: io.output(), errors: io.errors() };
}

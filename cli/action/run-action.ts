import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { withoutRunnerCommands } from "../runner-commands.ts";
import * as core from "@actions/core";

import { profilesText } from "../../reports/profiles.ts";
import { ReportParseError, parseReport } from "../../reports/parse-report.ts";
import { exchangeText, requirementsOf, sharedCauses } from "../../reports/causes.ts";
import type { Cause, Report, ReportRequirement } from "../../reports/model.ts";
import { firstText } from "../../reports/words.ts";
import { withFileInputs } from "./file-inputs.ts";
import { actionInputs } from "./inputs.ts";

/** The verdict for each exit code (docs/options.md#exit-codes). Any other exit code means that the run was stopped. */
const verdicts: Readonly<Record<number, string>> = {
  0: "pass",
  1: "fail",
  2: "wrong-usage",
  3: "not-tested",
  4: "undecided",
};

/** How many requirements the title of an annotation names. */
const idsShownMax = 8;

/** GitHub shows at most ten annotations of a kind for a step; the tenth says how many more there are. */
const annotationsMax = 10;

/**
 * Runs the command line with the inputs of the action. Then sets the action's outputs, writes the step summary and
 * adds an annotation for each cause of failures. Returns the exit code of the command line.
 * @param cli the path of the built command line.
 */
export async function runAction(cli: string): Promise<number> {
  const {
    ACTION_COMMAND: command = "run",
    ACTION_PROGRAM: program,
    ...given
  } = withoutEmptyInputs(process.env);
  const { environment, lines, remove } = withFileInputs(given);
  for (const line of lines) core.info(withoutRunnerCommands(line));
  const startedAtMs = Date.now();
  const words = program === undefined ? [] : ["--", "/bin/sh", "-c", program];
  const child = spawn(process.execPath, [cli, command, ...words], {
    env: environment,
    stdio: "inherit",
  });
  // A job that is cancelled gets its outputs, too: the command writes what was decided, and ends.
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => void child.kill(name));
  }
  await once(child, "close");
  remove();
  const exitCode = child.exitCode ?? 130;
  const directory = resolve(environment["QUEUEPROOF_REPORT"] ?? join("reports", "latest"));
  core.setOutput("verdict", verdicts[exitCode] ?? "stopped");
  core.setOutput("exit-code", exitCode);
  const report = exitCode === 2 ? undefined : await readReport(directory, startedAtMs);
  if (report !== undefined) {
    core.setOutput("report", directory);
    tellCounts(report);
    annotate(report);
    await summarise(directory);
  }
  return exitCode;
}

/** Removes the inputs that were not given: GitHub passes them as empty strings, and an empty setting is refused. */
function withoutEmptyInputs(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inputs = new Set([
    "ACTION_COMMAND",
    "ACTION_PROGRAM",
    ...actionInputs.map(({ variable }) => variable),
  ]);
  return Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => !inputs.has(name) || value !== ""),
  );
}

/** Returns undefined where the run ended before it wrote report.json, or was told to write other formats. */
async function readReport(directory: string, startedAtMs: number): Promise<Report | undefined> {
  const path = join(directory, "report.json");
  try {
    const report = parseReport(await readFile(path, "utf8"), path);
    if (Date.parse(report.startedAt) >= startedAtMs) return report;
  } catch (error) {
    if (error instanceof ReportParseError) throw error;
  }
  core.notice(
    `No report.json of this run in ${directory}: neither counts nor annotations can be shown.`,
  );
  return undefined;
}

function tellCounts(report: Report): void {
  const { requirements } = report.summary;
  core.setOutput("passed", requirements.pass);
  core.setOutput("failed", requirements.fail);
  core.setOutput("inconclusive", requirements.inconclusive);
  core.setOutput("not-run", requirements["not-run"]);
  core.setOutput("profiles", profilesText(report));
}

/** A text beside the run, and what it is about. */
export interface Annotation {
  readonly title: string;
  readonly text: string;
}

function annotate(report: Report): void {
  const { failed, undecided } = annotationsOf(report);
  tellEach(failed, core.error);
  tellEach(undecided, core.warning);
}

/** What failed, but for known failures, and what was not decided: first the causes of several requirements, once each, then what stands alone. */
export function annotationsOf(report: Report): {
  readonly failed: readonly Annotation[];
  readonly undecided: readonly Annotation[];
} {
  const known = new Set(
    report.requirements.filter((entry) => entry.known !== undefined).map(({ id }) => id),
  );
  const causes = sharedCauses(report).map((cause) => {
    const { broken, kept } = requirementsOf(cause, report);
    return { cause, broken: broken.filter((id) => !known.has(id)), kept };
  });
  const told = new Set(causes.flatMap(({ broken, kept }) => [...broken, ...kept]));
  const alone = report.requirements.filter(({ id }) => !told.has(id));
  const open = alone.filter(
    ({ verdict, allowed }) => verdict === "inconclusive" && allowed !== true,
  );
  return {
    failed: [
      ...causes.flatMap(({ cause, broken }) => annotationOfCause(cause, broken, "failed")),
      ...alone
        .filter(({ id, verdict }) => verdict === "fail" && !known.has(id))
        .map((entry) => annotationOf(entry, "failed")),
    ],
    undecided: [
      ...causes
        .filter(({ broken }) => broken.length === 0)
        .flatMap(({ cause, kept }) => annotationOfCause(cause, kept, "not decided")),
      ...open.map((entry) => annotationOf(entry, "was not decided")),
    ],
  };
}

function annotationOfCause(
  { text, evidence: [shown] }: Cause,
  ids: readonly string[],
  what: string,
): readonly Annotation[] {
  if (ids.length === 0) return [];
  const exchange = shown === undefined ? "" : `\n${exchangeText(shown)}`;
  const title = `${firstText(ids, idsShownMax, " ")} ${what}`;
  return [{ title, text: `${text}${exchange}` }];
}

function annotationOf({ id, text, reason = "" }: ReportRequirement, what: string): Annotation {
  return { title: `${id} ${what}`, text: `${reason}\n${text}` };
}

function tellEach(all: readonly Annotation[], tell: typeof core.error): void {
  const shown = all.length > annotationsMax ? all.slice(0, annotationsMax - 1) : all;
  for (const { title, text } of shown) tell(withoutRunnerCommands(text), { title });
  const left = all.length - shown.length;
  if (left > 0) tell(`${left} more like this; see the report.`);
}

/** GitHub refuses to show a summary of more bytes for one step. */
const summaryBytesMax = 1_048_576;

async function summarise(directory: string): Promise<void> {
  const text = await readFile(join(directory, "report.md"), "utf8").catch(() => undefined);
  if (text === undefined || process.env["GITHUB_STEP_SUMMARY"] === undefined) return;
  const fits = Buffer.byteLength(text) <= summaryBytesMax;
  const shown = fits ? text : "The report is too large for a step summary; see its files.\n";
  await core.summary.addRaw(shown).write();
}

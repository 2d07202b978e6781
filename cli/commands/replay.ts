import type { RunCommand } from "../settings/contract.ts";
import type { Report, ReportCheck, ReportRequirement } from "../../reports/model.ts";
import type { Verdict } from "../../reports/verdict.ts";
import { requirementsOf } from "../../reports/causes.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { demandKeyConsent } from "../key-consent.ts";
import { readReport } from "../report-file.ts";
import { replaySettings } from "../settings/replay.ts";
import type { GivenFlags } from "../settings/sources.ts";
import { requirementNamed } from "../settings/selection.ts";
import { runOnce } from "./contract.ts";

export interface Replay {
  readonly file: string;
  /** The id of a requirement, or of a cause of the report, as the user typed it. */
  readonly id: string;
  /** Of a report of \`client\`: the program, which is never taken from a file. */
  readonly command: readonly string[];
  readonly given: GivenFlags;
}

/**
 * Runs the checks of one requirement, or of the first of a cause, again that failed in a report, with the report's
 * seed and target. Says whether the result is the same. Returns the exit code of the run.
 * @throws CommandError WRONG_USAGE where the report does not hold enough, and the errors of a run
 */
export async function replay({ command, ...what }: Replay, io: Io): Promise<number> {
  const { file, id: text, given } = what;
  const report = await readReport(file, io);
  if (["client", "proxy", "traffic", "worker"].includes(report.command)) {
    const { replayProgram } = await import("./replay-program.ts");
    return replayProgram(report, { ...what, command }, io);
  }
  const id = requirementIn(report, text);
  const before = report.requirements.find((entry) => entry.id === id);
  if (before === undefined) throw notInReport(id, file);
  const { loadCheckSummaries } = await import("../../load/check-summaries.ts");
  const isLoad = new Set(loadCheckSummaries.map(({ name }) => name));
  const settings = replaySettings(report, { id, file, given }, io);
  await demandKeyConsent(settings, { file, given }, io);
  io.write(opening(report, before) + taken(report, { file, given }));
  const end = await runOnce(settings, { io, command: commandFor(checksToRepeat(before), isLoad) });
  const after = end.report.requirements.find((entry) => entry.id === id);
  io.write(`${closing(before, after)}\n`);
  return end.exitCode;
}

/** The requirement that was named, or the first that a named cause breaks or keeps from being decided. */
function requirementIn(report: Report, text: string): RequirementId {
  const cause = report.causes?.find(({ id }) => id === text.trim());
  const { broken, kept } =
    cause === undefined ? { broken: [], kept: [] } : requirementsOf(cause, report);
  const [first = text] = [...broken, ...kept];
  return requirementNamed(
    first,
    "Give the id of a requirement or a cause of the report: `queueproof replay report.json RUNA-01`.",
  );
}

function notInReport(id: string, file: string): CommandError {
  return new CommandError("WRONG_USAGE", `${file} has no requirement ${id}`, {
    hint: "It was written by another version: run `queueproof contract --only` with that id.",
  });
}

/** Returns the failed checks, or all checks where none failed. */
function checksToRepeat({ checks }: ReportRequirement): readonly ReportCheck[] {
  const failed = checks.filter(({ verdict }) => verdict === "fail");
  return failed.length > 0 ? failed : checks;
}

function commandFor(checks: readonly ReportCheck[], isLoad: ReadonlySet<string>): RunCommand {
  const load = checks.filter(({ name }) => isLoad.has(name));
  if (load.length === 0) return "contract";
  return load.length === checks.length ? "load" : "run";
}

function opening({ seed, startedAt, dialect = "spec" }: Report, before: ReportRequirement): string {
  return (
    `Again ${before.id} of the run of ${startedAt}: seed ${seed}, dialect ${dialect}; ` +
    `${sentences[before.verdict].before}.\n`
  );
}

/** What the run takes from the report that its user has not typed: whoever wrote it chose that. */
function taken(
  { settings = {} }: Report,
  { file, given: { flags } }: Pick<Replay, "file" | "given">,
): string {
  const { jobs, dialectFile } = settings;
  const parts = [
    ...(jobs !== undefined && flags.jobs === undefined ? ["the inputs of its jobs"] : []),
    ...(dialectFile !== undefined && flags.dialect === undefined
      ? [`the dialect in ${dialectFile}`]
      : []),
  ];
  return parts.length === 0 ? "" : `From ${file} come ${parts.join(" and ")}.\n`;
}

function closing(
  { id, verdict: was }: ReportRequirement,
  after: ReportRequirement | undefined,
): string {
  const is = after?.verdict ?? "not-run";
  const now = `${id} ${sentences[is].now}`;
  return was === is ? `${now}, as before.` : `${now}; ${sentences[was].before}.`;
}

const sentences: Readonly<Record<Verdict, { readonly now: string; readonly before: string }>> = {
  pass: { now: "passes", before: "it passed then" },
  fail: { now: "fails", before: "it failed then" },
  inconclusive: { now: "is not decided", before: "it was not decided then" },
  "not-run": { now: "was not run", before: "it was not run then" },
};

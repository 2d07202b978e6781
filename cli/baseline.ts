import { randomUUID } from "node:crypto";
import { appendFile, rename, rm, writeFile } from "node:fs/promises";
import { isRequirementId } from "../openapi/requirements.ts";
import { notSelectedReason } from "../reports/not-run.ts";
import type { Report, ReportRequirement } from "../reports/model.ts";
import { CommandError, wrongUsageBy } from "./errors.ts";
import { readTextFile } from "./text-file.ts";

/** Requirements and causes of which failures are expected, each with the reason. */
export type Baseline = ReadonlyMap<string, string>;

/** A line of a baseline file; one that holds a comment alone, or nothing, has no id. */
interface BaselineLine {
  readonly text: string;
  readonly id?: string;
  readonly reason: string;
}

/** The first line of a baseline that this program wrote. */
const head = "# Requirements, or causes, that are expected to fail: the id, then the reason.";
/** Ids of requirements, of other catalogues too, and of causes. */
const idForm = /^(?:[A-Z][A-Z0-9]{3}-\d\d|[a-z\d]+(?:-[a-z\d]+)*)$/;

/**
 * Reads a baseline file: each line holds an id and its reason. A `#` begins a comment at the beginning of a line, or after
 * two spaces; elsewhere it belongs to the reason.
 * @param isToWrite whether it is about to be written: then it may be missing, and has to be a baseline beyond doubt
 * @throws CommandError WRONG_USAGE when it cannot be read or a line lacks its reason.
 */
export function readBaseline(path: string, isToWrite: boolean): Baseline {
  const lines = linesOf(path, isToWrite);
  const entries = new Map<string, string>();
  const problems: string[] = [];
  for (const [index, { id, reason }] of lines.entries()) {
    if (id === undefined) continue;
    const place = `${path}:${index + 1}: ${id}`;
    if (reason === "") problems.push(`${place} has no reason: write it after the id`);
    if (entries.has(id)) problems.push(`${place} stands there twice`);
    if (isToWrite && !idForm.test(id)) problems.push(`${place} is no id of a requirement or cause`);
    entries.set(id, reason);
  }
  const isKnown = lines.some(({ text, id = "" }) => text === head || isRequirementId(id));
  if (isToWrite && entries.size > 0 && !isKnown) {
    problems.push(`${path} names no requirement, and does not begin as a baseline does: ${head}`);
  }
  if (problems.length === 0) return entries;
  throw new CommandError("WRONG_USAGE", "the baseline cannot be used:", {
    problems,
    hint: isToWrite
      ? "Nothing was written. Each line of a baseline is an id and the reason why it is expected to fail."
      : "Each line is an id and the reason why it is expected to fail.",
  });
}

function linesOf(path: string, mayBeMissing: boolean): readonly BaselineLine[] {
  const hint = "Give --baseline a readable file, or make one with --baseline-update.";
  const text = readTextFile(path, "the baseline", hint, mayBeMissing ? "" : undefined);
  return text.split(/\r?\n/).map((line) => parsedLine(line));
}

function parsedLine(text: string): BaselineLine {
  const words = text
    .replace(/(?:^| {2,})\s*#.*$/, "")
    .trim()
    .split(/\s+/);
  const [id = "", ...reason] = words;
  return id === "" ? { text, reason: "" } : { text, id, reason: reason.join(" ") };
}

export interface BaselineJudgement {
  /** Failed requirements that are not in the baseline. */
  readonly unexpected: readonly string[];
  /** Lines for people: expected failures, and baseline entries that are no longer true. */
  readonly remarks: readonly string[];
  readonly stale: boolean;
}

/** The report with the reason of the baseline beside each failure that it expects. */
export function withKnownFailures(report: Report, baseline: Baseline): Report {
  const requirements = report.requirements.map((entry) => {
    const as = entry.verdict === "fail" ? expectedAs(entry, baseline) : undefined;
    const known = as === undefined ? undefined : baseline.get(as);
    return known === undefined ? entry : Object.assign({}, entry, { known });
  });
  return { ...report, requirements };
}

/** The id under which a baseline expects that a requirement fails: its own, or that of its cause. */
function expectedAs({ id, cause = "" }: ReportRequirement, baseline: Baseline): string | undefined {
  return [id, cause].find((each) => baseline.has(each));
}

/** Compares a report with its baseline. A baseline entry that is no longer true fails the run. */
export function judgeByBaseline(baseline: Baseline, report: Report): BaselineJudgement {
  const verdicts = new Map(report.requirements.map(({ id, verdict }) => [id, verdict]));
  const failed = report.requirements.filter(({ verdict }) => verdict === "fail");
  const expected = failed.flatMap((entry) => {
    const as = expectedAs(entry, baseline);
    return as === undefined ? [] : [{ id: entry.id, as }];
  });
  const passes = [...baseline.keys()].filter((id) => verdicts.get(id) === "pass");
  const unknown = [...baseline.keys()].filter((id) => !isRequirementId(id) && !isIn(report, id));
  return {
    unexpected: failed
      .filter((entry) => expectedAs(entry, baseline) === undefined)
      .map(({ id }) => id),
    remarks: [
      ...expected.map(
        ({ id, as }) =>
          `Expected failure ${id}${as === id ? "" : ` (${as})`}: ${baseline.get(as) ?? ""}`,
      ),
      ...passes.map((id) => `${id} passes, but the baseline expects it to fail: take it out.`),
      ...unknown.map(
        (id) =>
          `${id} stands in the baseline, but no requirement or cause of the report has this id.`,
      ),
    ],
    stale: passes.length + unknown.length > 0,
  };
}

/** Whether a cause is in a report, or may only be absent because not everything was run. */
function isIn({ causes = [], requirements, interrupted }: Report, id: string): boolean {
  if (causes.some((cause) => cause.id === id)) return true;
  const isPart =
    interrupted === true || requirements.some(({ reason }) => reason === notSelectedReason);
  return isPart && /^[a-z\d-]+$/.test(id);
}

/**
 * Returns the baseline after a run. It holds what failed, with the earlier reason, but not what passed, or the cause of
 * nothing any more. Entries that were not decided, or that this catalogue does not know, stay.
 */
export function updatedBaseline(baseline: Baseline, report: Report): Baseline {
  const others = [...baseline].filter(
    ([id]) => !isRequirementId(id) && (isIn(report, id) || !/^[a-z]/.test(id)),
  );
  const entries = report.requirements.flatMap(({ id, verdict, cause = "" }) => {
    const reason = baseline.get(id);
    if (verdict === "fail" && reason === undefined && baseline.has(cause)) return [];
    if (verdict === "fail") return [[id, reason ?? "not yet explained"] as const];
    return verdict === "pass" || reason === undefined ? [] : [[id, reason] as const];
  });
  return new Map([...others, ...entries]);
}

/**
 * Proves that the baseline can be written, so that a long run does not fail only at its end. An existing file stays
 * as it is; a missing file is created empty.
 * @throws CommandError WRONG_USAGE
 */
export async function ensureBaselineWritable(path: string): Promise<void> {
  await appendFile(path, "").catch((cause: unknown) => {
    throw unwritable(path, cause);
  });
}

/**
 * Writes a baseline file in the form that `readBaseline` reads. Lines of an existing file whose entries stay are kept as
 * they are, and so are its comments. The file is written aside and then renamed.
 * @throws CommandError WRONG_USAGE where it cannot be written
 */
export async function writeBaseline(path: string, baseline: Baseline): Promise<void> {
  const before = linesOf(path, true);
  const kept = before.filter(({ id }) => id === undefined || baseline.has(id));
  const known = new Set(kept.map(({ id }) => id));
  const added = [...baseline].filter(([id]) => !known.has(id));
  const texts = kept.map(({ text }) => text);
  while (texts.at(-1) === "") texts.pop();
  if (texts.length === 0) texts.push(head);
  const lines = [...texts, ...added.map(([id, reason]) => `${id}  ${reason}`)];
  const aside = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(aside, `${lines.join("\n")}\n`);
    await rename(aside, path);
  } catch (cause) {
    await rm(aside, { force: true });
    throw unwritable(path, cause);
  }
}

function unwritable(path: string, cause: unknown): CommandError {
  const hint = "Give --baseline a file in a directory that is there and can be written to.";
  return wrongUsageBy(cause, `the baseline ${path} cannot be written`, hint);
}

import { appendFile, writeFile } from "node:fs/promises";
import { isRequirementId } from "../openapi/index.ts";
import { notSelectedReason } from "../reports/not-run.ts";
import type { Report, ReportRequirement } from "../reports/index.ts";
import { CommandError, wrongUsageBy } from "./errors.ts";
import { readTextFile } from "./text-file.ts";

/** Requirements and causes of which failures are expected, each with the reason. */
export type Baseline = ReadonlyMap<string, string>;

/**
 * Reads a baseline file: each line holds an id and its reason, and `#` begins a comment.
 * @throws CommandError WRONG_USAGE when it cannot be read or a line lacks its reason.
 */
export function readBaseline(path: string, mayBeMissing: boolean): Baseline {
  const entries = new Map<string, string>();
  const problems: string[] = [];
  const hint = "Give --baseline a readable file, or make one with --baseline-update.";
  const text = readTextFile(path, "the baseline", hint, mayBeMissing ? "" : undefined);
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [id = "", ...words] = line.replace(/#.*$/, "").trim().split(/\s+/);
    if (id === "") continue;
    const place = `${path}:${index + 1}: ${id}`;
    if (words.length === 0) problems.push(`${place} has no reason: write it after the id`);
    if (entries.has(id)) problems.push(`${place} stands there twice`);
    entries.set(id, words.join(" "));
  }
  if (problems.length === 0) return entries;
  throw new CommandError("WRONG_USAGE", "the baseline cannot be used:", {
    problems,
    hint: "Each line is an id and the reason why it is expected to fail.",
  });
}

export interface BaselineJudgement {
  /** Failed requirements that are not in the baseline. */
  readonly unexpected: readonly string[];
  /** Lines for people: expected failures, and baseline entries that are no longer true. */
  readonly remarks: readonly string[];
  readonly stale: boolean;
}

/** Compares a report with its baseline. A baseline entry that is no longer true fails the run. */
export function judgeByBaseline(baseline: Baseline, report: Report): BaselineJudgement {
  const verdicts = new Map(report.requirements.map(({ id, verdict }) => [id, verdict]));
  const failed = report.requirements.filter(({ verdict }) => verdict === "fail");
  const expectedAs = ({ id, cause = "" }: ReportRequirement): string | undefined =>
    [id, cause].find((each) => baseline.has(each));
  const expected = failed.flatMap((entry) => {
    const as = expectedAs(entry);
    return as === undefined ? [] : [{ id: entry.id, as }];
  });
  const passes = [...baseline.keys()].filter((id) => verdicts.get(id) === "pass");
  const unknown = [...baseline.keys()].filter((id) => !isRequirementId(id) && !isIn(report, id));
  return {
    unexpected: failed.filter((entry) => expectedAs(entry) === undefined).map(({ id }) => id),
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
 * Returns the baseline after a run. It holds what failed, with the earlier reason, but not what passed or is not in
 * the catalogue. Entries that were not decided stay.
 */
export function updatedBaseline(baseline: Baseline, report: Report): Baseline {
  const causes = [...baseline].filter(([id]) => !isRequirementId(id) && isIn(report, id));
  const entries = report.requirements.flatMap(({ id, verdict, cause = "" }) => {
    const reason = baseline.get(id);
    if (verdict === "fail" && reason === undefined && baseline.has(cause)) return [];
    if (verdict === "fail") return [[id, reason ?? "not yet explained"] as const];
    return verdict === "pass" || reason === undefined ? [] : [[id, reason] as const];
  });
  return new Map([...causes, ...entries]);
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
 * Writes a baseline file in the form that `readBaseline` reads.
 * @throws CommandError WRONG_USAGE where it cannot be written
 */
export async function writeBaseline(path: string, baseline: Baseline): Promise<void> {
  const head = "# Requirements, or causes, that are expected to fail: the id, then the reason.";
  const lines = [...baseline].map(([id, reason]) => `${id}  ${reason}`);
  await writeFile(path, `${[head, ...lines].join("\n")}\n`).catch((cause: unknown) => {
    throw unwritable(path, cause);
  });
}

function unwritable(path: string, cause: unknown): CommandError {
  const hint = "Give --baseline a file in a directory that is there and can be written to.";
  return wrongUsageBy(cause, `the baseline ${path} cannot be written`, hint);
}

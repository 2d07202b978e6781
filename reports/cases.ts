import { sharedCauses } from "./causes.ts";
import type { Cause, RepeatLineOf, Report, ReportCheck, ReportRequirement } from "./model.ts";
import type { Verdict } from "./verdict.ts";
import { failingCurl } from "./failing-evidence.ts";
import { attemptLines } from "./groups.ts";

/** A test case for formats that know only tests: a check under a requirement, or a requirement without checks. */
export interface Case {
  readonly requirement: ReportRequirement;
  readonly name: string;
  readonly verdict: Verdict;
  readonly durationMs: number;
  /** Why it did not pass, in one line. Empty for a pass. */
  readonly message: string;
  /** What was expected and got, and the commands that repeat it. Empty for a pass. */
  readonly details: string;
  /** Earlier attempts, and requests that were sent again; also for a pass. */
  readonly attempts: readonly string[];
}

const detailCharsMax = 16_384;
/** The name of the test case for a requirement without checks. */
const noCheckName = "no check";

/** One case for each check under each requirement, in the report's order; a requirement without checks gets one. */
export function casesOf(report: Report, repeatLineOf: RepeatLineOf): readonly Case[] {
  const causes = new Map(sharedCauses(report).map((cause) => [cause.id, cause]));
  return report.requirements.flatMap((requirement) =>
    requirement.checks.length === 0
      ? [uncheckedCase(requirement)]
      : requirement.checks.map((check) =>
          caseOf(requirement, check, { cause: causes.get(check.cause ?? ""), repeatLineOf }),
        ),
  );
}

function uncheckedCase(requirement: ReportRequirement): Case {
  const { verdict, reason = "" } = requirement;
  return {
    requirement,
    name: noCheckName,
    verdict,
    durationMs: 0,
    message: reason,
    details: "",
    attempts: [],
  };
}

interface CaseContext {
  /** Absent where no other requirement shares it. */
  readonly cause: Cause | undefined;
  readonly repeatLineOf: RepeatLineOf;
}

function caseOf(
  requirement: ReportRequirement,
  check: ReportCheck,
  { cause, repeatLineOf }: CaseContext,
): Case {
  const { name, verdict, durationMs, reason = "" } = check;
  const common = { requirement, name, verdict, durationMs, attempts: attemptLines(check) };
  if (verdict === "pass") return { ...common, message: "", details: "" };
  const message = reason.replaceAll(/\s+/gu, " ");
  const isTried = verdict === "fail" || verdict === "inconclusive";
  const repeat = isTried ? repeatLineOf(requirement.id) : undefined;
  return { ...common, message, details: detailsOf(requirement, check, { cause, repeat }) };
}

function detailsOf(
  requirement: ReportRequirement,
  check: ReportCheck,
  { cause, repeat }: { readonly cause: Cause | undefined; readonly repeat: string | undefined },
): string {
  const { reason, mismatches = [], steps = [] } = check;
  const curl = failingCurl(check);
  const parts = [
    `${requirement.id} (${requirement.section}): ${requirement.text}`,
    ...(cause === undefined ? [] : [`cause ${cause.id}: ${cause.text}`]),
    ...mismatches.map(
      ({ at, expected, got }) => `${at}\n  expected ${expected}\n  got      ${got}`,
    ),
    ...(mismatches.length === 0 && reason !== undefined ? [reason] : []),
    ...(repeat === undefined ? [] : [repeat]),
    ...attemptLines(check),
    ...steps.map((step, index) => `${index + 1}. ${step}`),
    ...(curl === undefined ? [] : [curl]),
  ];
  const text = parts.join("\n");
  return text.length <= detailCharsMax
    ? text
    : `${text.slice(0, detailCharsMax)}\n[cut here; report.json has the rest]`;
}

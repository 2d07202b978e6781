import { sharedCauses } from "./causes.ts";
import type { Cause, RepeatLineOf, Report, ReportCheck, ReportRequirement } from "./model.ts";
import type { Verdict } from "./verdict.ts";
import { failingCurl } from "./failing-evidence.ts";
import { attemptLines } from "./groups.ts";

/** A requirement as a test case, for formats that know only tests. */
export interface Case {
  readonly requirement: ReportRequirement;
  /** How long its checks took together; a check of several requirements counts for each. */
  readonly durationMs: number;
  /** Why it did not pass, in one line. Empty for a pass. */
  readonly message: string;
  /** What was expected and got by each of its checks that shows it, and how to repeat that. Empty for a pass. */
  readonly details: string;
  /** Earlier attempts, requests that were sent again, and checks that left open what others decided. */
  readonly remarks: readonly string[];
}

const detailCharsMax = 16_384;

/** One case for each requirement, in the report's order: as many as the report's first lines count. */
export function casesOf(report: Report, repeatLineOf: RepeatLineOf): readonly Case[] {
  const causes = new Map(sharedCauses(report).map((cause) => [cause.id, cause]));
  return report.requirements.map((requirement) => {
    const { id, verdict, checks, reason = "" } = requirement;
    const common = {
      requirement,
      durationMs: checks.reduce((sum, check) => sum + check.durationMs, 0),
      remarks: checks.flatMap((check) => remarksOn(check, verdict)),
    };
    if (verdict === "pass") return { ...common, message: "", details: "" };
    const shown = checks.filter((check) => check.verdict === verdict);
    const message = (shown[0]?.reason ?? reason).replaceAll(/\s+/gu, " ");
    const repeat = isTried(verdict) ? repeatLineOf(id) : undefined;
    const parts = [
      ...headOf(requirement, causes.get(shown[0]?.cause ?? "")),
      ...(repeat === undefined ? [] : [repeat]),
      ...shown.flatMap(detailsOf),
    ];
    return { ...common, message, details: cutDetails(parts.join("\n")) };
  });
}

function isTried(verdict: Verdict): boolean {
  return verdict === "fail" || verdict === "inconclusive";
}

function remarksOn(check: ReportCheck, verdict: Verdict): readonly string[] {
  const { name, reason = "" } = check;
  const isLeftOpen = check.verdict === "inconclusive" && verdict === "pass";
  const lines = [
    ...attemptLines(check),
    ...(isLeftOpen ? [`inconclusive, decided by another engine: ${reason}`] : []),
  ];
  return lines.map((line) => `${name}: ${line}`);
}

function headOf(
  { id, section, text }: ReportRequirement,
  cause: Cause | undefined,
): readonly string[] {
  const about = cause === undefined ? [] : [`cause ${cause.id}: ${cause.text}`];
  return [`${id} (${section}): ${text}`, ...about];
}

function detailsOf(check: ReportCheck): readonly string[] {
  const { name, reason, mismatches = [], steps = [] } = check;
  const curl = failingCurl(check);
  return [
    `check ${name}`,
    ...mismatches.map(
      ({ at, expected, got }) => `${at}\n  expected ${expected}\n  got      ${got}`,
    ),
    ...(mismatches.length === 0 && reason !== undefined ? [reason] : []),
    ...attemptLines(check),
    ...steps.map((step, index) => `${index + 1}. ${step}`),
    ...(curl === undefined ? [] : [curl]),
  ];
}

function cutDetails(text: string): string {
  return text.length <= detailCharsMax
    ? text
    : `${text.slice(0, detailCharsMax)}\n[cut here; report.json has the rest]`;
}

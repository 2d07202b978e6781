import type { Exchange, Redactor } from "../../client/index.ts";
import type { RequirementId } from "../../openapi/index.ts";
import type { Check } from "./check.ts";
import { evidenceOf } from "./evidence.ts";
import type { Evidence } from "./evidence.ts";
import type { Findings, Mismatch, Reading } from "./expect.ts";
import type { Verdict } from "./outcome.ts";
import type { Session } from "./session.ts";

/** What one check says of one requirement. A check that covers two gives two results. */
export interface CheckResult {
  readonly name: string;
  readonly title: string;
  readonly covers: readonly RequirementId[];
  readonly verdict: Verdict;
  readonly durationMs: number;
  readonly reason?: string;
  readonly readings: readonly Reading[];
  readonly mismatches: readonly Mismatch[];
  readonly evidence: readonly Evidence[];
  /** The harness itself broke: the run as a whole cannot be trusted. */
  readonly harnessError?: string;
}

/** How a check's function ended, before anything is judged. */
export interface Ending {
  readonly findings: Findings;
  readonly exchanges: readonly Exchange[];
  /** Exchanges of other checks that it lays down as evidence. */
  readonly testimony: readonly Evidence[];
  readonly redactor: Redactor;
  readonly durationMs: number;
  /** Why it ended early without a verdict. */
  readonly undecided?: string;
  readonly broke?: string;
}

/** More would only repeat themselves; the last ones are those that matter. */
const evidenceMax = 60;

/** The verdict of an ending on one requirement. */
export function judge(
  check: Check,
  requirement: RequirementId,
  ending: Ending,
  session: Session,
): CheckResult {
  const { findings, durationMs, redactor } = ending;
  const redact = (text: string): string => redactor.redact(text);
  const mismatches = findings.mismatches
    .filter((mismatch) => mismatch.requirement === requirement)
    .map(({ at, expected, got }) => ({
      requirement,
      at,
      expected: redact(expected),
      got: redact(got),
    }));
  const { verdict, reason, harnessError } = verdictOf({ check, requirement, mismatches, ending });
  const told = verdict === "pass" ? [] : ending.exchanges.slice(-evidenceMax);
  const witnessed = told.map((exchange) => evidenceOf(exchange, redactor, session.startedAtMs));
  return {
    name: check.name,
    title: check.title,
    covers: [requirement],
    verdict,
    durationMs: Math.round(durationMs * 1000) / 1000,
    ...(reason === undefined ? {} : { reason: redact(reason) }),
    readings: findings.readings.filter((reading) => reading.requirement === requirement),
    mismatches,
    evidence: [...witnessed, ...ending.testimony.slice(0, evidenceMax)],
    ...(harnessError === undefined ? {} : { harnessError: redact(harnessError) }),
  };
}

type Judgement = Pick<CheckResult, "verdict" | "reason" | "harnessError">;

interface Case {
  readonly check: Check;
  readonly requirement: RequirementId;
  readonly mismatches: readonly Mismatch[];
  readonly ending: Ending;
}

function verdictOf({ check, requirement, mismatches, ending }: Case): Judgement {
  const { findings, undecided, broke } = ending;
  if (broke !== undefined) {
    return { verdict: "inconclusive", reason: `the harness broke: ${broke}`, harnessError: broke };
  }
  if (mismatches.length > 0)
    return { verdict: "fail", reason: mismatches.map(describe).join("; ") };
  if (undecided !== undefined) return { verdict: "inconclusive", reason: undecided };
  if ((findings.comparisons.get(requirement) ?? 0) > 0) return { verdict: "pass" };

  if (check.observes === true) return { verdict: "not-run", reason: "nothing of it was observed" };

  const [first] = findings.mismatches;
  if (first !== undefined) {
    return { verdict: "inconclusive", reason: `not reached: ${first.requirement} failed before` };
  }
  const harnessError = `the check compared nothing of ${requirement}`;
  return { verdict: "inconclusive", reason: harnessError, harnessError };
}

function describe({ at, expected, got }: Mismatch): string {
  return `${at}: expected ${expected}, got ${got}`;
}

/** A result for a check that was not tried. */
export function notRun(check: Check, requirement: RequirementId, reason: string): CheckResult {
  const { name, title } = check;
  const nothing = { durationMs: 0, readings: [], mismatches: [], evidence: [] };
  return { name, title, covers: [requirement], verdict: "not-run", reason, ...nothing };
}

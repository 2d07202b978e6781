import type { RequirementId } from "../openapi/index.ts";
import type {
  CheckAttempt,
  DroppedRequest,
  LoadPoints,
  LoadSamples,
  Mismatch,
} from "../reports/model.ts";

/** What one engine says of one requirement; of the same shape as the result of a contract check. */
export interface LoadCheckResult {
  readonly name: string;
  readonly title: string;
  readonly covers: readonly RequirementId[];
  readonly verdict: "pass" | "fail" | "inconclusive" | "not-run";
  readonly durationMs: number;
  readonly reason?: string;
  /** The tries before this one, first to last, each of which could not decide. */
  readonly attempts?: readonly CheckAttempt[];
  /** The requests that were answered only when they were sent again. */
  readonly dropped?: readonly DroppedRequest[];
  readonly readings: readonly never[];
  readonly mismatches: readonly Mismatch[];
  readonly deviations: readonly never[];
  readonly evidence: readonly never[];
}

/** The figures of one scenario, as the report has them (reports/model.ts). */
export interface ScenarioFigures {
  readonly scenario: string;
  readonly engine: "k6" | "autocannon";
  readonly figures: Readonly<Record<string, number | string>>;
  readonly requirements: readonly RequirementId[];
  readonly samples?: readonly LoadSamples[];
  readonly points?: LoadPoints;
}

/** What an engine found of one requirement, with its figures. */
export interface EngineFinding {
  readonly check: LoadCheckResult;
  readonly figures: ScenarioFigures;
}

interface Judged {
  readonly name: string;
  readonly title: string;
  readonly requirement: RequirementId;
  readonly durationMs: number;
  readonly mismatches: readonly Mismatch[];
  /** Why the engine's own work decides nothing. */
  readonly undecided: readonly string[];
}

/** A difference fails; without one, an engine that did not do its part leaves it inconclusive. */
export function checkResult(judged: Judged): LoadCheckResult {
  const { name, title, requirement, durationMs, mismatches, undecided } = judged;
  const [first] = mismatches;
  const common = { name, title, covers: [requirement], durationMs, mismatches } as const;
  const empty = { readings: [], deviations: [], evidence: [] } as const;
  if (first !== undefined) {
    const reason = `${first.at}: expected ${first.expected}, got ${first.got}`;
    return { ...common, ...empty, verdict: "fail", reason };
  }
  if (undecided.length > 0) {
    return { ...common, ...empty, verdict: "inconclusive", reason: undecided.join("; ") };
  }
  return { ...common, ...empty, verdict: "pass" };
}

/** What is said of an engine that was not started. */
export function notRunResult(
  header: Pick<Judged, "name" | "title" | "requirement">,
  reason: string,
): LoadCheckResult {
  const { name, title, requirement } = header;
  const empty = { readings: [], mismatches: [], deviations: [], evidence: [] } as const;
  return {
    name,
    title,
    covers: [requirement],
    verdict: "not-run",
    durationMs: 0,
    reason,
    ...empty,
  };
}

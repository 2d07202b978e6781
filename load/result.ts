import { describeMismatch } from "../harness/judge.ts";
import type { RequirementResult } from "../harness/judge.ts";
import type { RequirementId } from "../openapi/index.ts";
import type { LoadPoints, LoadSamples, Mismatch } from "../reports/model.ts";

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
  readonly check: RequirementResult;
  readonly figures: ScenarioFigures;
}

/** The name, title and requirement of an engine's check. */
export interface EngineHeader {
  readonly name: string;
  readonly title: string;
  readonly requirement: RequirementId;
}

interface Judged extends EngineHeader {
  readonly durationMs: number;
  readonly mismatches: readonly Mismatch[];
  /** Why the engine's own work decides nothing. */
  readonly undecided: readonly string[];
}

/** A mismatch fails the check; without one, it is inconclusive where the engine did not do its part. */
export function checkResult(judged: Judged): RequirementResult {
  const { name, title, requirement, durationMs, mismatches, undecided } = judged;
  const [first] = mismatches;
  const reason = first === undefined ? undecided.join("; ") : describeMismatch(first);
  const verdict = first === undefined ? "inconclusive" : "fail";
  const found = { mismatches, readings: [], deviations: [], evidence: [] };
  return {
    name,
    title,
    covers: [requirement],
    durationMs,
    ...found,
    ...(reason === "" ? { verdict: "pass" } : { verdict, reason }),
  };
}

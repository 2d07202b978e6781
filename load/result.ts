import { describeMismatch } from "../harness/judge-differences.ts";
import { notRunResult } from "../harness/judge.ts";
import type { RequirementResult } from "../harness/judge.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import type { LoadResult, Mismatch } from "../reports/model.ts";

/** What an engine found of one requirement, with its figures as the report has them. */
export interface EngineFinding {
  readonly check: RequirementResult;
  /** What the same requests showed of the operation's own requirement, such as an answer 500: a failure each. */
  readonly beside: readonly RequirementResult[];
  readonly figures: LoadResult;
}

/** What an engine found, and what it left out. */
export interface EngineFindings {
  readonly findings: readonly EngineFinding[];
  readonly notRun: readonly RequirementResult[];
}

/** The name, title and requirement of an engine's check. */
export interface EngineHeader {
  readonly name: string;
  readonly title: string;
  readonly requirement: RequirementId;
}

interface Judged {
  readonly durationMs: number;
  readonly mismatches: readonly Mismatch[];
  /** Why the engine's own work decides nothing. */
  readonly undecided: readonly string[];
}

/** What an engine found of the requirement in the header, and the figures of the same name. */
export function engineFinding(
  engine: LoadResult["engine"],
  header: EngineHeader,
  { durationMs, mismatches, undecided, ...rest }: Judged & Pick<LoadResult, "figures" | "points">,
): EngineFinding {
  const { name: scenario, requirement } = header;
  const own = mismatches.filter((each) => each.requirement === requirement);
  const others = mismatches.filter((each) => each.requirement !== requirement);
  return {
    check: checkResult({ ...header, durationMs, mismatches: own, undecided }),
    beside: others.map((each) =>
      checkResult({
        ...header,
        requirement: each.requirement,
        durationMs,
        mismatches: [each],
        undecided: [],
      }),
    ),
    figures: { scenario, engine, requirements: [requirement], ...rest },
  };
}

/** The result of an engine's check that was not tried. */
export function notRunByEngine(header: EngineHeader, reason: string): RequirementResult {
  return notRunResult(header, header.requirement, reason);
}

/** A mismatch fails the check; without one, it is inconclusive where the engine did not do its part. */
export function checkResult(judged: EngineHeader & Judged): RequirementResult {
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

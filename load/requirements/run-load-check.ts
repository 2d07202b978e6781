import { describeMismatch } from "../../harness/judge-differences.ts";
import { stopReason } from "../../harness/outcome.ts";
import type { RequirementResult } from "../../harness/judge.ts";
import type { CheckRun } from "../../harness/runner.ts";
import { catchEarlyEnd, verdictOf } from "../../harness/verdict.ts";
import type { EarlyEnd, Judgement } from "../../harness/verdict.ts";
import type { LoadResult } from "../../reports/model.ts";
import type { LoadCheck } from "./check.ts";
import { LoadFindings } from "./findings.ts";
import type { LoadSession } from "./load-session.ts";

/** What a load check found. */
export interface LoadCheckRun extends CheckRun {
  /** Its entry in the report's `load`; absent where it was not tried. */
  readonly figures?: LoadResult;
}

/** Runs one load check to its end and judges it. Never rejects. */
export async function runLoadCheck(
  check: LoadCheck,
  session: LoadSession,
  isAlone: boolean,
): Promise<LoadCheckRun> {
  const findings = new LoadFindings(check.covers[0], session);
  const beganMs = performance.now();
  const sentBefore = session.sent;
  const end = await catchEarlyEnd(async () => check.run(session, findings));
  // Requests of checks that run side by side cannot be told apart.
  if (isAlone) findings.figures["requests"] = session.sent - sentBefore;
  const durationMs = Math.round(performance.now() - beganMs);
  const resultOf = (found: LoadFindings, ended: EarlyEnd): RequirementResult => {
    const { name, title } = check;
    const { requirement, readings, mismatches, evidence } = found;
    const judgement = judgementOf(ended, found, session.signal);
    const differences = { readings, mismatches, deviations: [], evidence };
    return { name, title, covers: [requirement], durationMs, ...judgement, ...differences };
  };
  const beside = [...findings.beside.values()].map((each) => resultOf(each, {}));
  return {
    results: [resultOf(findings, end), ...beside],
    isWorthRepeating: true,
    figures: figuresOf(check, findings),
  };
}

function judgementOf(
  end: EarlyEnd,
  { requirement, mismatches: [first], comparisons }: LoadFindings,
  signal: AbortSignal | undefined,
): Judgement {
  // What a check saw while its requests were broken off is no finding.
  if (signal?.aborted === true) {
    return { verdict: "inconclusive", reason: `${stopReason(signal)} while it was decided` };
  }
  const difference = first && ({ verdict: "fail", reason: describeMismatch(first) } as const);
  return verdictOf({ requirement, end, difference, comparisons });
}

function figuresOf(
  { name, covers }: LoadCheck,
  { figures, warnings, samples, limiter }: LoadFindings,
): LoadResult {
  return {
    scenario: name,
    engine: "probe",
    figures,
    requirements: covers,
    ...(warnings.length > 0 && { warnings }),
    ...(samples.length === 0 ? {} : { samples }),
    ...(limiter === undefined ? {} : { limiter }),
  };
}

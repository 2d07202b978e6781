import { exitCodeOf, questionsOf } from "../reports/index.ts";
import type { Report } from "../reports/index.ts";
import { judgeByBaseline } from "./baseline.ts";
import type { Baseline } from "./baseline.ts";

export interface Demands {
  readonly baseline: Baseline;
  /** Ids that must be decided (--require). */
  readonly required: readonly string[];
  /** The checks in which the harness itself broke. */
  readonly broken: readonly string[];
}

export interface Outcome {
  readonly exitCode: number;
  /** What the baseline and --require have to say, one line each. */
  readonly remarks: readonly string[];
}

/** The exit code of a run that went to its end (README.md#exit-codes), and why it is not the report's alone. */
export function outcomeOf(report: Report, { baseline, required, broken }: Demands): Outcome {
  const judged = judgeByBaseline(baseline, report);
  const undecided = report.requirements.filter(
    ({ id, verdict }) =>
      required.includes(id) && (verdict === "inconclusive" || verdict === "not-run"),
  );
  const remarks = [
    ...broken.map((name) => `the harness broke in ${name}: its reason stands in the report`),
    ...judged.remarks,
    ...undecided.map(
      ({ id, verdict, reason }) => `${id} had to be decided and is ${verdict}: ${reason ?? ""}`,
    ),
  ];
  if (broken.length > 0) return { exitCode: 3, remarks };
  const saysNo = questionsOf(report).some(({ verdict }) => verdict === "fail");
  if (judged.unexpected.length > 0 || judged.stale || saysNo) return { exitCode: 1, remarks };
  // Failures are left only where the baseline expects them: they decide something, and fail nothing.
  if (exitCodeOf(report) === 3) return { exitCode: 3, remarks };
  return { exitCode: undecided.length > 0 ? 4 : 0, remarks };
}

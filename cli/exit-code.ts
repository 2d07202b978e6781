import { exitCodeWhere, isDecided, undecidedIn } from "../reports/verdicts.ts";
import { undecidedProfiles } from "../reports/profiles.ts";
import type { Report } from "../reports/model.ts";
import { judgeByBaseline } from "./baseline.ts";
import type { Baseline } from "./baseline.ts";

export interface RunDemands {
  readonly baseline: Baseline;
  /** Ids that must be decided (--require). */
  readonly required: readonly string[];
  /** Profiles that must be conformant or broken (--profile). */
  readonly profiles: readonly string[];
  /** The checks in which the harness itself broke. */
  readonly broken: readonly string[];
}

export interface ExitDecision {
  readonly exitCode: number;
  /** Reasons for the exit code beside the report's verdicts, one line each. */
  readonly remarks: readonly string[];
}

/** Decides the exit code of a run that reached its end (docs/options.md#exit-codes), and says why. */
export function outcomeOf(
  report: Report,
  { baseline, required, profiles, broken }: RunDemands,
): ExitDecision {
  const judged = judgeByBaseline(baseline, report);
  const missing = report.requirements.filter(
    ({ id, verdict }) => required.includes(id) && !isDecided(verdict),
  );
  // What is expected to fail need not be decided.
  const undecided = undecidedIn(report).filter((name) => !baseline.has(name));
  const partly = undecidedProfiles(report, profiles, ({ id }) => baseline.has(id));
  const isFailed = judged.unexpected.length > 0 || judged.stale;
  const isOpen = missing.length + undecided.length + partly.length > 0;
  const exitCode = broken.length > 0 ? 3 : exitCodeWhere(report, { isFailed, isOpen });
  const remarks = [
    ...broken.map((name) => `the harness broke in ${name}: its reason stands in the report`),
    ...judged.remarks,
    ...missing.map(
      ({ id, verdict, reason }) => `${id} had to be decided and is ${verdict}: ${reason ?? ""}`,
    ),
    ...(exitCode === 4 ? partly.map((line) => `Exit code 4: ${line}`) : []),
    ...(exitCode === 4 && undecided.length > 0 ? [openText(undecided)] : []),
  ];
  return { exitCode, remarks };
}

function openText(undecided: readonly string[]): string {
  const were = undecided.length === 1 ? "was" : "were";
  return `Exit code 4: ${undecided.join(", ")} ${were} tried and not decided; --allow-inconclusive names requirements that may be.`;
}

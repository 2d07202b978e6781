import type { Report, ReportRequirement, Verdict } from "./model.ts";

export interface ReasonGroup {
  readonly reason: string;
  readonly requirements: readonly ReportRequirement[];
}

export function withVerdict(report: Report, verdict: Verdict): readonly ReportRequirement[] {
  return report.requirements.filter((each) => each.verdict === verdict);
}

/** Requirements that share a reason, in the order in which each reason first comes. */
export function groupByReason(entries: readonly ReportRequirement[]): readonly ReasonGroup[] {
  const reasons = new Set(entries.map(({ reason = "" }) => reason));
  return [...reasons].map((reason) => ({
    reason,
    requirements: entries.filter((each) => (each.reason ?? "") === reason),
  }));
}
